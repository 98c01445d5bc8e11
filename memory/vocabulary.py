"""Words of the context packet."""

PACKET_SCHEMA = "groupx.context/0.4"
REPLY_CHAIN_LENGTH = 64
SOFT_SHARE = 0.75
"""The part of the hard limit that optional sections may fill."""

SECTIONS = (
    "groupx_protocol",
    "configured_agent_identity",
    "self_identity",
    "user_authored_identity",
    "observed_identity",
    "agent_core_memory",
    "agent_dated_memory",
    "pinned_group_memory",
    "relevant_memory",
    "room_checkpoint_summary",
    "room_delta_since_cursor",
    "reply_chain",
    "current_message",
    "supervision_watch",
)

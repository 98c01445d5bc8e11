"""What an agent is given for a message: for the turn that runs, and for one that is only drafted."""

from memory.gather import gather_packet_inputs
from memory.packet import ContextPacket, build_packet
from memory.packet_text import PacketMessage
from turns.queries.lane import delivered_through


def packet_for(
    target_id: str,
    native_session_id: str | None,
    *,
    source: str | PacketMessage,
    root_correlation_id: str,
    through_seq: int,
    max_chars: int,
) -> ContextPacket:
    """The packet of one turn, as of `through_seq`, after what this session has been given. None: a fresh session.

    `source` is the event id of the message, or a draft that is in no log yet.

    Raises:
        GroupXError: CONTEXT_BUDGET_EXCEEDED; NOT_FOUND for a message that is not in the log.
    """
    inputs = gather_packet_inputs(
        target_id=target_id,
        source=source,
        root_correlation_id=root_correlation_id,
        given_through_seq=delivered_through(target_id, native_session_id) if native_session_id else None,
        through_seq=through_seq,
        max_chars=max_chars,
    )
    return build_packet(inputs)

"""Words of the context packet."""

PACKET_SCHEMA = "groupx.context/0.4"
REPLY_CHAIN_LENGTH = 64
SOFT_SHARE = 0.75
"""The part of the hard limit that optional sections may fill."""

"""The fixed words of memory, identity and the context packet. Pure."""

from enum import StrEnum

PACKET_SCHEMA = "groupx.context/0.4"
REPLY_CHAIN_LENGTH = 64
SOFT_SHARE = 0.75
"""The part of the hard limit that optional sections may fill."""
MAX_RECORD_CHARACTERS = 131_072
MAX_SUMMARY_CHARACTERS = 32_768
MAX_ROLLUP_CHARACTERS = 8_000


class MemoryScope(StrEnum):
    """Whose memory it is."""

    ROOM = "room"
    """Everybody's."""
    AGENT = "agent"
    """One agent's own."""
    CORRELATION = "correlation"
    """Of one conversation and what followed from it."""


class AgentMemoryType(StrEnum):
    """The two layers of an agent's own memory."""

    CORE = "core"
    DATED = "dated"


class MemoryKind(StrEnum):
    FACT = "fact"
    DECISION = "decision"
    PREFERENCE = "preference"
    INSTRUCTION = "instruction"
    CONSTRAINT = "constraint"
    NOTE = "note"
    SUMMARY = "summary"


class IdentityKind(StrEnum):
    PREFERENCE = "preference"
    INSTRUCTION = "instruction"
    CONSTRAINT = "constraint"
    NOTE = "note"


class RecordStatus(StrEnum):
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


class RecordSource(StrEnum):
    """Through what a record came."""

    WEB = "web"
    MCP = "mcp"
    OPERATOR = "operator"
    GENERATED_SUMMARY = "generated_summary"
    AUTOMATIC_ROLLUP = "automatic_rollup"


class SummaryStatus(StrEnum):
    ACTIVE = "active"
    SUPERSEDED = "superseded"


STANDING_KINDS = (MemoryKind.INSTRUCTION.value, MemoryKind.CONSTRAINT.value)
"""They come first wherever not everything has a place."""

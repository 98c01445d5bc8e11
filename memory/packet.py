"""Build the text an agent is given for one turn. Pure: inputs in, packet out, no database.

Sections in a fixed order, each left out when empty (docs/context.md). The current message stands last and
unchanged; all other text is quoted line by line, so it can imitate neither a section nor an entry.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from groupx.kernel.errors import ErrorCode, GroupXError

from .packet_text import (
    BETWEEN_PARTS,
    PacketMessage,
    PacketRecord,
    Room,
    StandingSummary,
    head,
    message_entry,
    quoted,
    record_entry,
    section,
    summary_entry,
)
from .vocabulary import PACKET_SCHEMA, SOFT_SHARE

ROUTING_NOTE = (
    "Your final answer and what you publish are shown to the whole room and wake nobody; @name in text routes nothing. "
    "send and ask create turns; whoever is already at work reads what you publish. A pending ask is continued with "
    "collect, not sent again. What you see is frozen at through_seq: read before anything irreversible. "
    "Whose words stand after > is said above them, never in them. Do the task in current_message."
)

WATCH_NOTE = "Observe these turns with the tools watch and steer. Their task is not yours to do."
WATCHED_TASK_CHARS = 2_000
SPARE_FOR_OMISSION_LINES = 180


@dataclass(frozen=True, kw_only=True)
class WatchedTask:
    """What an observer's turn is to watch: the task that others were given, and their turns."""

    event_id: str
    author: str
    content: str
    turns: tuple[tuple[str, str], ...]
    """Turn id and actor id of each worker."""


@dataclass(frozen=True, kw_only=True)
class PacketInputs:
    room_id: str
    target_id: str
    target_name: str
    identity: str
    after_seq: int
    """Behind this seq the delta begins: what the session was given, a reset or the summary reach so far."""
    through_seq: int
    delta: Sequence[PacketMessage]
    """Oldest first; may be more than fits."""
    older_in_room: int
    """Messages of the delta that were not even gathered."""
    reply_chain: Sequence[PacketMessage]
    """Oldest first."""
    current: PacketMessage
    max_chars: int
    watched: WatchedTask | None = None
    summary: StandingSummary | None = None
    """Stands in place of what was said before the delta."""
    core_memory: Sequence[PacketRecord] = ()
    """What the agent, or the person, keeps for this agent alone. Of these and of the following the first come first."""
    dated_memory: Sequence[PacketRecord] = ()
    """What the agent has kept of its days: unlike the others oldest first."""
    pinned_memory: Sequence[PacketRecord] = ()
    """What the room keeps and every turn is given: instructions and constraints first."""
    relevant_memory: Sequence[PacketRecord] = ()
    """What else the room keeps and the current message has to do with."""
    self_identity: Sequence[PacketRecord] = ()
    user_identity: Sequence[PacketRecord] = ()
    observed_identity: Sequence[PacketRecord] = ()
    """Of other agents: shown as what they have observed, never as the agent's own."""
    more_core_memory: int = 0
    more_dated_memory: int = 0
    more_room_memory: int = 0
    more_identity: int = 0
    """How many there are that were not even gathered."""


@dataclass(frozen=True, kw_only=True)
class ContextPacket:
    text: str
    after_seq: int
    """The messages in it begin behind this seq."""
    summary_through_seq: int | None
    """Up to where a summary stands for them; None without one."""
    omissions: dict[str, int] = field(default_factory=dict)
    """What was left out, by section: `{"roomDelta": 12}`."""

    @property
    def needs_compaction(self) -> bool:
        """Messages are left out that no summary covers."""
        return "roomDelta" in self.omissions


def build_packet(inputs: PacketInputs) -> ContextPacket:
    """
    Raises:
        GroupXError: CONTEXT_BUDGET_EXCEEDED when what must be in it is longer than the hard limit.
    """
    configured = _identity(inputs)
    summary = section("room_checkpoint_summary", [summary_entry(inputs.summary)] if inputs.summary else [])
    chain = section("reply_chain", [message_entry(message) for message in inputs.reply_chain])
    watched = _watched(inputs.watched) if inputs.watched else ""
    current = f"[current_message]\n{head(inputs.current)}\n{inputs.current.content}"
    must = (_protocol(inputs, {}), configured, summary, chain, watched, current)
    forced = sum(len(part) + len(BETWEEN_PARTS) for part in must if part) + SPARE_FOR_OMISSION_LINES
    if forced > inputs.max_chars:
        raise GroupXError(
            ErrorCode.CONTEXT_BUDGET_EXCEEDED,
            f"The message and what must go with it (reply chain, summary) need {forced:,} characters; "
            f"limits.contextCharacters allows {inputs.max_chars:,}.",
        )
    chosen, omissions = _choose(inputs, Room(int(inputs.max_chars * SOFT_SHARE) - forced))
    *kept, delta = [section(name, entries) for name, entries in chosen.items()]
    parts = [_protocol(inputs, omissions), configured, *kept, summary, delta, chain, watched, current]
    return ContextPacket(
        text=BETWEEN_PARTS.join(part for part in parts if part),
        after_seq=inputs.after_seq,
        summary_through_seq=inputs.summary.through_seq if inputs.summary else None,
        omissions=omissions,
    )


def _choose(inputs: PacketInputs, room: Room) -> tuple[dict[str, list[str]], dict[str, int]]:
    """The optional sections in the order in which they stand, the delta last, and how much of each was left out. They
    are filled in another order: what an agent keeps of itself, what was said, its days, what the room keeps, who the
    agent is."""
    in_chain = {message.event_id for message in inputs.reply_chain}
    said = [message_entry(message) for message in inputs.delta if message.event_id not in in_chain]
    core, delta, room = _core_and_delta(_entries(inputs.core_memory), said, room.chars_left)
    dated = room.newest_of("agent_dated_memory", _entries(inputs.dated_memory))
    pinned = room.some_of("pinned_group_memory", _entries(inputs.pinned_memory))
    relevant = room.some_of("relevant_memory", _entries(inputs.relevant_memory))
    by_user = room.some_of("user_authored_identity", _entries(inputs.user_identity))
    by_self = room.some_of("self_identity", _entries(inputs.self_identity))
    observed = room.some_of("observed_identity", _entries(inputs.observed_identity))
    sections = {
        "self_identity": by_self,
        "user_authored_identity": by_user,
        "observed_identity": observed,
        "agent_core_memory": core,
        "agent_dated_memory": dated,
        "pinned_group_memory": pinned,
        "relevant_memory": relevant,
        "room_delta_since_cursor": delta,
    }
    memory = len(inputs.pinned_memory) + len(inputs.relevant_memory) - len(pinned) - len(relevant)
    identity = len(inputs.user_identity) + len(inputs.self_identity) + len(inputs.observed_identity)
    omitted = {
        "roomDelta": len(said) - len(delta) + inputs.older_in_room,
        "coreMemory": len(inputs.core_memory) - len(core) + inputs.more_core_memory,
        "datedMemory": len(inputs.dated_memory) - len(dated) + inputs.more_dated_memory,
        "roomMemory": memory + inputs.more_room_memory,
        "identity": identity - len(by_user) - len(by_self) - len(observed) + inputs.more_identity,
    }
    return sections, {name: count for name, count in omitted.items() if count}


def _core_and_delta(core: list[str], said: list[str], chars: int) -> tuple[list[str], list[str], Room]:
    """What an agent keeps of itself comes before what was said, but where both do not fit it has half of the room:
    else every turn of one that keeps much would have to sum the room up first. Gives what is left, too."""
    for core_chars in (chars, chars // 2):
        of_core = Room(core_chars)
        kept = of_core.some_of("agent_core_memory", core)
        room = Room(chars - core_chars + of_core.chars_left)
        delta = room.newest_of("room_delta_since_cursor", said)
        if len(delta) == len(said):
            break
    return kept, delta, room


def _entries(records: Sequence[PacketRecord]) -> list[str]:
    return [record_entry(record) for record in records]


def _protocol(inputs: PacketInputs, omissions: Mapping[str, int]) -> str:
    lines = [
        "[groupx_protocol]",
        f"schema={PACKET_SCHEMA}",
        f"room={inputs.room_id}",
        f"target={inputs.target_id}",
        f"after_seq={inputs.after_seq}",
        f"through_seq={inputs.through_seq}",
        ROUTING_NOTE,
    ]
    if older := omissions.get("roomDelta"):
        lines.append(f"{older} older room messages are left out for length.")
    if memories := sum(omissions.get(name, 0) for name in ("coreMemory", "datedMemory", "roomMemory")):
        lines.append(f"{memories} memories are not in this packet; memory_search finds them.")
    return "\n".join(lines)


def _identity(inputs: PacketInputs) -> str:
    you = f"You are {inputs.target_name} ({inputs.target_id}) in this room."
    return "\n".join(["[configured_agent_identity]", you, *([quoted(inputs.identity)] if inputs.identity else [])])


def _watched(task: WatchedTask) -> str:
    """The task is quoted in part only: it is not for the observer to do."""
    excerpt = task.content[:WATCHED_TASK_CHARS]
    cut = [f"The task has {len(task.content):,} characters; this is its beginning."] if excerpt != task.content else []
    return "\n".join(
        [
            "[supervision_watch]",
            *(f"- turn={turn_id} agent={actor_id}" for turn_id, actor_id in task.turns),
            f"- task={task.event_id} author={task.author}",
            quoted(excerpt),
            *cut,
            WATCH_NOTE,
        ]
    )

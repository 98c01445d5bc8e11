"""What the page of a bus room is told (docs/protocol.md, "Rooms of the file bus"). Pure."""

from typing import Literal, NotRequired, TypedDict

from pydantic import with_config

from groupx.kernel.answers import ANSWER


@with_config(ANSWER)
class BusMeta(TypedDict):
    """Of an answer that a woken member gave, and of a wake that failed."""

    channel: NotRequired[str]
    model: NotRequired[str]
    durationMs: NotRequired[int]
    cost: NotRequired[float]
    """US dollars."""
    tokens: NotRequired[dict[str, int]]


BusMessage = TypedDict(
    "BusMessage",
    {
        "seq": int,
        "id": str,
        "time": str,
        "from": str,
        "to": list[str],
        "kind": str,
        "via": str,
        "replyTo": NotRequired[str],
        "tags": list[str],
        "files": list[str],
        "text": str,
        "meta": BusMeta,
        "truncated": NotRequired[bool],
        "fullLength": NotRequired[int],
    },
)
"""One line of the room's log. Nobody in `to` is everybody. `from` is what its writer claims."""
BusMessage.__pydantic_config__ = ANSWER  # type: ignore[attr-defined]


@with_config(ANSWER)
class BusPresence(TypedDict):
    lastSeen: str
    pid: int | None
    host: str
    isAlive: bool
    """The process that last used the bus in its name still runs on this machine."""


@with_config(ANSWER)
class BusWake(TypedDict):
    state: Literal["waiting", "running"]
    since: str


@with_config(ANSWER)
class BusMember(TypedDict):
    name: str
    transport: str
    """Empty: it has no channel and cannot be woken."""
    model: str
    note: str
    isPrimary: bool
    unread: int
    presence: NotRequired[BusPresence]
    wake: NotRequired[BusWake]
    """While it is woken, by whomever."""
    trouble: NotRequired[str]
    """Why its last wake from this page could not even begin, or did not say in the room how it ended."""


@with_config(ANSWER)
class BusSelfDrive(TypedDict):
    isOn: bool
    note: NotRequired[str]
    """What keeps it from working as it should."""


@with_config(ANSWER)
class BusState(TypedDict):
    """Everything but the messages."""

    room: str
    members: list[BusMember]
    selfDrive: BusSelfDrive


class BusRoom(BusState):
    lastSeq: int
    messages: list[BusMessage]
    """The newest 200, oldest first."""
    hasOlder: bool


@with_config(ANSWER)
class BusPage(TypedDict):
    messages: list[BusMessage]
    """Oldest first."""
    hasOlder: bool


@with_config(ANSWER)
class BusWritten(TypedDict):
    id: str
    seq: int


@with_config(ANSWER)
class BusWakeAccepted(TypedDict):
    member: str
    accepted: bool
    """False when the member was already going to be woken for what waits for it."""

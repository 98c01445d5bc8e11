"""Whom the self-drive wakes for a message, and when that has been done: decisions over plain values.

Only what the person writes wakes anybody: agents that wake each other would never come to an end.
"""

from collections.abc import Iterable, Mapping

from rooms.bus.members import Profile, primary_of
from rooms.bus.message import Message

HUMAN = "human"
OF_THE_BUS = ("reply", "dispatch-error")


def whom_to_wake(message: Message, known: Mapping[str, Profile]) -> tuple[str, ...]:
    """The members addressed, for a broadcast the primary alone. An `ask` wakes its member itself."""
    if message.sender != HUMAN or message.kind == "ask":
        return ()
    wanted = message.to or tuple(filter(None, [primary_of(known)]))
    return tuple(name for name in wanted if name != HUMAN and can_be_woken(known.get(name)))


def can_be_woken(profile: Profile | None) -> bool:
    transport = profile.get("transport") if profile else None
    return isinstance(transport, str) and transport != ""


def is_settled(message: Message, member: str, cursor_seq: int, newer: Iterable[Message]) -> bool:
    """Whether the member has read it, or a wake for it has ended, well or badly, as far as the room tells."""
    return cursor_seq >= message.seq or any(
        later.sender == member
        and later.kind in OF_THE_BUS
        and later.via == "dispatch"
        and (later.reply_to == message.id or _through_seq(later) >= message.seq)
        for later in newer
    )


def _through_seq(message: Message) -> int:
    seq = message.meta.get("throughSeq")
    return seq if type(seq) is int else 0

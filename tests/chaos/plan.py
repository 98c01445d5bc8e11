"""What is done to the room, when and to whom: a list of rounds that the seed alone decides. Pure.

Round n of a seed is the same however many rounds are run. Rounds are dealt from decks, so that every kind of blow
comes early and as often as its weight says.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    KILL_SERVE = "kill-serve"
    KILL_LANE = "kill-lane"
    KILL_AGENT = "kill-agent"
    KILL_SEVERAL = "kill-several"
    """Serve, a lane and a CLI at once."""
    KILL_AGAIN = "kill-again"
    """The one that has just been started in the place of the first."""
    KILL_PARENT = "kill-parent"
    """And start the room again at once."""
    FREEZE_SERVE = "freeze-serve"
    FREEZE_LANE = "freeze-lane"
    FREEZE_AGENT = "freeze-agent"
    FREEZE_PARENT = "freeze-parent"
    HANG_SERVE = "hang-serve"
    """Frozen for good: somebody must notice."""
    HANG_LANE = "hang-lane"
    HANG_AGENT = "hang-agent"
    LOCK_STORE = "lock-store"
    """Another program holds the write lock for longer than anybody waits for it."""
    READ_ONLY_STORE = "read-only-store"
    FULL_DISK = "full-disk"
    STEP_CLOCK = "step-clock"


class Moment(StrEnum):
    """What the blow waits for."""

    ANY = "any"
    AFTER_POST = "after-post"
    """A message has been sent, its answer has not come."""
    MID_DELTA = "mid-delta"
    MID_FINISH = "mid-finish"
    """The last words have been heard, the end of the turn has not."""


KILLS = frozenset({Kind.KILL_SERVE, Kind.KILL_LANE, Kind.KILL_AGENT, Kind.KILL_SEVERAL, Kind.KILL_AGAIN})
ON_THE_DISK = frozenset({Kind.READ_ONLY_STORE, Kind.FULL_DISK})
_DECK = {  # a hundred cards; of those that take half a minute few
    Kind.KILL_SERVE: 11,
    Kind.KILL_LANE: 12,
    Kind.KILL_AGENT: 12,
    Kind.KILL_SEVERAL: 12,
    Kind.KILL_AGAIN: 8,
    Kind.KILL_PARENT: 5,
    Kind.FREEZE_SERVE: 5,
    Kind.FREEZE_LANE: 6,
    Kind.FREEZE_AGENT: 5,
    Kind.FREEZE_PARENT: 5,
    Kind.HANG_SERVE: 1,
    Kind.HANG_LANE: 1,
    Kind.HANG_AGENT: 2,
    Kind.LOCK_STORE: 3,
    Kind.READ_ONLY_STORE: 4,
    Kind.FULL_DISK: 4,
    Kind.STEP_CLOCK: 4,
}


@dataclass(frozen=True, kw_only=True)
class Round:
    number: int
    """From 1."""
    kind: Kind
    moment: Moment
    delay_seconds: float
    """Before its moment is waited for."""
    pick: int
    """Which of the possible victims, by number."""
    length_seconds: float
    """How long it lasts, where a blow lasts: 0.5 to 4 s."""
    with_a_kill: bool
    """Where the blow is no kill itself: whether somebody is killed while it lasts."""
    hours: float
    """By which the clock is stepped, forwards or backwards."""

    def __str__(self) -> str:
        killing = "+kill" if self.with_a_kill else ""
        return f"{self.kind}{killing} {self.moment} pick={self.pick}"


def rounds(seed: int, only: Kind | None = None) -> Iterator[Round]:
    """The rounds of a seed, without end. `only` makes all of them one kind, with everything else as it was."""
    number = 0
    deck_number = 0
    while True:
        rng = random.Random(f"{seed}-{deck_number}")
        for kind in _deal(rng):
            number += 1
            yield _round(random.Random(f"{seed}-round-{number}"), number, only or kind)
        deck_number += 1


def _deal(rng: random.Random) -> list[Kind]:
    """One of each kind first, so that few rounds show many kinds; then the rest."""
    first = list(_DECK)
    rest = [kind for kind, count in _DECK.items() for _ in range(count - 1)]
    rng.shuffle(first)
    rng.shuffle(rest)
    return first + rest


def _round(rng: random.Random, number: int, kind: Kind) -> Round:
    return Round(
        number=number,
        kind=kind,
        moment=rng.choice([Moment.ANY, Moment.AFTER_POST, Moment.MID_DELTA, Moment.MID_FINISH]),
        delay_seconds=round(rng.uniform(0.0, 0.8), 3),
        pick=rng.randrange(1_000),
        length_seconds=round(rng.uniform(0.5, 4.0), 3),
        with_a_kill=rng.random() < 0.5 and kind in ON_THE_DISK | {Kind.LOCK_STORE, Kind.STEP_CLOCK},
        hours=rng.choice([-30.0, -3.0, -1.0, 1.0, 5.0, 26.0]),
    )

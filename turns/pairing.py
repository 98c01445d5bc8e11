"""A message with observers: who works, who watches, and what the room is told of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from groupx.kernel.errors import ErrorCode, GroupXError, issue
from rooms.bodies import NamedTurn, SupervisionBrief, SupervisionPaired
from rooms.caller import SYSTEM
from rooms.new_event import NewEvent
from rooms.vocabulary import SourceKind
from turns.member import CallersTurn
from turns.new_turn import NewTurn, new_turn
from turns.requests import EVERYONE
from turns.state import CommandType, SupervisionMode

BRIEF = (
    "Observe the turns named in [supervision_watch] while they run. You are their observer, not a second worker: do "
    "not do their task yourself, and do not send to or ask these agents. Call watch to wait for what comes next or for "
    "the end, again and again. If a worker goes astray, call steer with a reason and your guidance, which everybody "
    "sees: nudge makes the guidance its next turn, interrupt cancels its turn first. You allow or refuse nothing, and "
    "no single tool call can be stopped. When there is nothing left to watch, answer with what you saw, in a few "
    "sentences."
)


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """The watch turns of a message, and the events around their turn.queued."""

    mode: SupervisionMode
    brief: NewEvent
    watchers: Sequence[NewTurn]
    paired: NewEvent

    @property
    def events(self) -> list[NewEvent]:
        return [self.brief, *(watcher.queued for watcher in self.watchers), self.paired]


def workers_among(targets: Sequence[str], observers: Sequence[str], *, wanted: Sequence[str], caller: str) -> list[str]:
    """Who is to work. With @all everybody does who does not observe.

    Raises:
        GroupXError: SUPERVISION_PAIR_INVALID when an observer is to work too, or calls itself, or nobody is left to
            work.
    """
    if caller in observers:
        raise _invalid("Whoever sends a message cannot be its observer.", [caller])
    if list(wanted) == [EVERYONE]:
        workers = [target for target in targets if target not in observers]
        if not workers:
            raise _invalid("All agents would observe and nobody would work.", observers)
        return workers
    if both := [target for target in targets if target in observers]:
        raise _invalid(f"{', '.join(both)} cannot work on a message and observe it.", both)
    return list(targets)


def _invalid(message: str, observers: Sequence[str]) -> GroupXError:
    return GroupXError(
        ErrorCode.SUPERVISION_PAIR_INVALID,
        message,
        invalidObservers=list(observers),
        issues=[issue("supervision.observers", "cannot be observers of this message")],
    )


def pair(
    task: NewEvent,
    workers: Sequence[NewTurn],
    observers: Sequence[str],
    mode: SupervisionMode,
    parent: CallersTurn | None,
) -> Pairing:
    """Each observer gets one turn, in which it watches all of the workers'."""
    watched = _told(workers)

    def event(body: SupervisionBrief | SupervisionPaired, to: Sequence[str] = ()) -> NewEvent:
        return NewEvent(
            body=body,
            actor=SYSTEM,
            source_kind=SourceKind.SUPERVISION,
            correlation_id=task.correlation_id,
            root_correlation_id=task.root_correlation_id,
            causation_id=task.event_id,
            to=to,
        )

    brief = event(SupervisionBrief(content=BRIEF, task_event_id=task.event_id, workers=watched), observers)
    watchers = [new_turn(observer, brief, CommandType.WATCH, parent) for observer in observers]
    paired = event(
        SupervisionPaired(
            mode=mode.value,
            task_event_id=task.event_id,
            watch_event_id=brief.event_id,
            workers=watched,
            watchers=_told(watchers),
        )
    )
    return Pairing(mode=mode, brief=brief, watchers=watchers, paired=paired)


def _told(turns: Sequence[NewTurn]) -> tuple[NamedTurn, ...]:
    return tuple(NamedTurn(turn_id=turn.turn_id, target_actor_id=turn.target) for turn in turns)

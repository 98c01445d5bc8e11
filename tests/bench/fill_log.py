"""A program that makes a room's database with many events: `python -m tests.bench.fill_log COUNT=FILE …`.

The room is that of GROUPX_CONFIG. Its log grows through the real `append_events`, in large transactions, with the turns
that its events speak of; at each COUNT a copy of the database as it is then goes to FILE, with a summary of all but
the newest messages. Nothing runs meanwhile.
"""

import itertools
import sys
from collections.abc import Iterator
from typing import Any

import django
from django.db import connection

django.setup()

from groupx import database  # noqa: E402 - settings first
from groupx.kernel.clock import Clock, SystemClock  # noqa: E402
from groupx.kernel.ids import new_correlation_id, new_turn_id  # noqa: E402
from groupx.run_config import current_run  # noqa: E402
from memory.models import Summary  # noqa: E402
from rooms.actions.append_event import append_events  # noqa: E402
from rooms.bodies import (  # noqa: E402
    Body,
    MessageCreated,
    TurnCompleted,
    TurnDispatched,
    TurnQueued,
    TurnStarted,
)
from rooms.caller import PERSON, SYSTEM  # noqa: E402
from rooms.envelope import ActorRef  # noqa: E402
from rooms.new_event import NewEvent  # noqa: E402
from rooms.queries import last_seq  # noqa: E402
from rooms.transactions import durable  # noqa: E402
from rooms.vocabulary import MAIN_ROOM, SourceKind  # noqa: E402
from tests.bench.old_rooms import sum_up  # noqa: E402
from turns.models import Turn  # noqa: E402
from turns.state import TurnStatus  # noqa: E402

EVENTS_AT_ONCE = 6_000
QUESTION, ANSWER = "What is to be done about part %d? " * 5, "For part %d this is to be done: read, change, test. " * 8


def exchanges(agent: ActorRef) -> Iterator[list[NewEvent]]:
    """A question, its turn and its answer, six events, again and again."""
    for number in itertools.count(1):
        turn_id, correlation_id = new_turn_id(), new_correlation_id()
        told = {"turn_id": turn_id, "target_actor_id": agent.actor_id}
        attempt_id = f"att_{number}"

        def event(body: Body, actor: ActorRef, kind: SourceKind, of: str = correlation_id, **more: Any) -> NewEvent:
            return NewEvent(body=body, actor=actor, source_kind=kind, correlation_id=of, root_correlation_id=of, **more)

        asked = event(MessageCreated(content=QUESTION % ((number,) * 5)), PERSON, SourceKind.WEB, to=[agent.actor_id])
        yield [
            asked,
            event(TurnQueued(**told), SYSTEM, SourceKind.SYSTEM, causation_id=asked.event_id),
            event(TurnDispatched(attempt_id=attempt_id, **told), SYSTEM, SourceKind.SYSTEM),
            event(TurnStarted(attempt_id=attempt_id, **told), agent, SourceKind.ADAPTER),
            event(MessageCreated(content=ANSWER % ((number,) * 8), turn_id=turn_id), agent, SourceKind.ADAPTER),
            event(TurnCompleted(attempt_id=attempt_id, **told), agent, SourceKind.ADAPTER),
        ]


@durable
def append_with_turns(events: list[NewEvent], clock: Clock) -> None:
    appended = append_events(events, clock=clock)
    Turn.objects.bulk_create(
        Turn(
            turn_id=event.body["turnId"],
            room_id=MAIN_ROOM,
            source_event_id=event.causation_id,
            target_id=event.body["targetActorId"],
            status=TurnStatus.COMPLETED.value,
            enqueue_seq=event.seq,
            correlation_id=event.correlation_id,
            root_correlation_id=event.root_correlation_id,
            command_type="message",
            created_at=event.occurred_at,
            ended_at=event.occurred_at,
        )
        for event in appended
        if event.type == TurnQueued.event_type.value
    )


def main() -> None:
    copies = sorted((int(count), file) for count, _, file in (argument.partition("=") for argument in sys.argv[1:]))
    clock, run = SystemClock(), current_run()
    database.make_ready(run, clock=clock)
    agent_id, agent = next(iter(run.config.agents.items()))
    answers = ActorRef(actor_id=f"agent:{agent_id}", display_name=agent.name or agent_id)
    events = itertools.chain.from_iterable(exchanges(answers))
    for count, file in copies:
        while (missing := count - last_seq()) > 0:
            append_with_turns(list(itertools.islice(events, min(missing, EVENTS_AT_ONCE))), clock)
        sum_up()
        database.close_cleanly()
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [file])
        Summary.objects.all().delete()


if __name__ == "__main__":
    main()

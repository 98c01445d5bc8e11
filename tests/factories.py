"""One valid row with traits. Histories are made by tests/given.py with the real actions."""

import factory

from groupx.kernel.ids import new_attempt_id, new_turn_id
from rooms.vocabulary import MAIN_ROOM
from tests.fakes.clock import FakeClock
from turns.models import Turn, TurnAttempt


class TurnFactory(factory.django.DjangoModelFactory):
    """A queued turn; `status` and `ended_at` make any other. Needs a source event."""

    class Meta:
        model = Turn

    turn_id = factory.LazyFunction(new_turn_id)
    room_id = MAIN_ROOM
    enqueue_seq = factory.Sequence(lambda n: n + 1)
    correlation_id = "corr_factory"
    root_correlation_id = "corr_factory"
    command_type = "message"
    created_at = factory.LazyFunction(lambda: FakeClock().now())


class TurnAttemptFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = TurnAttempt

    attempt_id = factory.LazyFunction(new_attempt_id)
    number = 1
    lane_token = "lane"
    context_through_seq = 1
    prepared_at = factory.LazyFunction(lambda: FakeClock().now())

"""Agents that a limit has stopped, made with the real actions."""

import pytest

from groupx.kernel.config import Limits
from groupx.kernel.errors import GroupXError
from rooms.models import Event
from tests import given_calls as calls
from turns.member import Member

TWO_CALLS = Limits(actor_calls_per_root=2)
STOPPED, RELEASED = "routing.loop_stopped", "routing.loop_released"


def refused(caller: Member, *names: str, limits: Limits, clock, **more: object) -> GroupXError:
    with pytest.raises(GroupXError) as told:
        calls.sent(caller, *names, limits=limits, clock=clock, **more)
    return told.value


def stopped(clock, limits: Limits = TWO_CALLS, **more: object) -> Member:
    """builder, which has called reviewer twice and wanted to once more."""
    builder = calls.member("builder", clock=clock)
    for _ in range(2):
        calls.sent(builder, "reviewer", limits=limits, clock=clock)
    refused(builder, "reviewer", limits=limits, clock=clock, **more)
    return builder


def told(type_: str) -> list[Event]:
    return list(Event.objects.filter(type=type_).order_by("seq"))

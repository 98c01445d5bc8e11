"""Rooms with a pairing in which somebody works and somebody watches, made with the real actions."""

from dataclasses import dataclass
from typing import Any

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from tests import given
from turns import member_commands
from turns.member import Member
from turns.supervision_requests import SteerRequest


@dataclass(frozen=True, kw_only=True)
class Watched:
    """Reviewer watches Builder; both turns run, unless it says otherwise."""

    answer: dict[str, Any]
    observer: Member
    worker: Member | None
    clock: Clock

    @property
    def worker_turn_id(self) -> str:
        return self.answer["turns"][0]["turnId"]

    @property
    def watch_turn_id(self) -> str:
        return self.answer["watchTurns"][0]["turnId"]

    def steer(self, action: str = "nudge", *, limits: Limits | None = None, **more: object) -> dict[str, Any]:
        return steered_by(self.observer, action, clock=self.clock, limits=limits, **more)


def supervised(*observers: str) -> dict[str, Any]:
    return {"observers": [f"agent:{name}" for name in observers], "mode": "live_steer"}


def paired(*workers: str, observers: tuple[str, ...] = ("reviewer",), clock: Clock, **more: object) -> dict[str, Any]:
    message = given.a_message(*workers, supervision=supervised(*observers), **more)
    return given.sent(message, clock=clock).result


def watched(*, clock: Clock, worker_runs: bool = True, **more: object) -> Watched:
    answer = paired("builder", clock=clock, **more)
    worker = given.running(answer["turns"][0]["turnId"], "builder", clock=clock) if worker_runs else None
    observer = given.running(answer["watchTurns"][0]["turnId"], "reviewer", clock=clock)
    return Watched(answer=answer, observer=observer, worker=worker, clock=clock)


def steered_by(
    observer: Member, action: str = "nudge", *, clock: Clock, limits: Limits | None = None, **more: object
) -> dict[str, Any]:
    request = {
        "action": action,
        "reason": "It goes astray.",
        "content": "Write the test first.",
        "clientCommandId": given.command_id(),
    }
    return member_commands.steer(
        SteerRequest.model_validate(request | more), member=observer, limits=limits or Limits(), clock=clock
    ).result

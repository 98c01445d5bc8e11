"""GET /api/health: who this runtime is and whether it serves. Constant time, whatever the database's size."""

from collections.abc import Awaitable, Callable
from typing import Final, Literal, NotRequired, TypedDict

from django.conf import settings
from pydantic import with_config

from groupx.kernel.answers import ANSWER
from groupx.kernel.errors import GroupXError
from rooms.asgi_json import JsonRequest, Receive, Scope, Send, endpoint
from rooms.envelope import dump
from rooms.queries import last_seq
from rooms.transactions import StoreError, in_reader
from turns.queries.agents import agent_views
from turns.state import LaneStatus

PROTOCOL: Final = "groupx.runtime/1"


@with_config(ANSWER)
class DatabaseHealth(TypedDict):
    status: Literal["ok", "unwritable", "unavailable", "none"]
    """`none`: of a setup, which has opened no database."""
    lastSeq: NotRequired[int]
    reason: NotRequired[str]
    """Why it cannot be written, in the database's words."""


@with_config(ANSWER)
class AgentHealth(TypedDict):
    actorId: str
    status: LaneStatus
    statusText: str


@with_config(ANSWER)
class Health(TypedDict):
    service: Literal["groupx"]
    protocol: Literal["groupx.runtime/1"]
    status: Literal["ok", "closing", "setup"]
    """`setup`: there is no configuration file yet; /setup writes one."""
    runtimeKey: str
    """Of this configuration and folder: the fingerprint of what runs."""
    runtimeScopeKey: str
    """What a shutdown must name."""
    database: DatabaseHealth
    agents: list[AgentHealth]


def health_endpoint(
    is_closing: Callable[[], bool], why_unwritable: Callable[[], str | None]
) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    """200 `ok` while serving, 503 `closing` while draining; both with the runtime's whole identity.

    `why_unwritable` gives the database's words while it cannot be written.
    """

    async def get_health(request: JsonRequest) -> tuple[int, str]:
        closing = is_closing()
        try:
            database, agents = await in_reader(_database_and_agents)
        except (StoreError, GroupXError):
            database, agents = {"status": "unavailable"}, []
        if (reason := why_unwritable()) is not None:
            database = {**database, "status": "unwritable", "reason": reason}
        shown: Health = {
            "service": "groupx",
            "protocol": PROTOCOL,
            "status": "closing" if closing else "ok",
            "runtimeKey": settings.RUN.runtime_key,
            "runtimeScopeKey": settings.RUN.runtime_scope_key,
            "database": database,
            "agents": agents,
        }
        return (503 if closing else 200), dump(shown)

    return endpoint({"GET": get_health})


def setup_health_endpoint(is_closing: Callable[[], bool]) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    """200 `setup`, or 503 `closing`; both with the identity that the room will have."""

    async def get_health(request: JsonRequest) -> tuple[int, str]:
        closing = is_closing()
        shown: Health = {
            "service": "groupx",
            "protocol": PROTOCOL,
            "status": "closing" if closing else "setup",
            "runtimeKey": settings.RUN.runtime_key,
            "runtimeScopeKey": settings.RUN.runtime_scope_key,
            "database": {"status": "none"},
            "agents": [],
        }
        return (503 if closing else 200), dump(shown)

    return endpoint({"GET": get_health})


def _database_and_agents() -> tuple[DatabaseHealth, list[AgentHealth]]:
    return {"status": "ok", "lastSeq": last_seq()}, [
        {"actorId": view.actor_id, "status": view.status, "statusText": view.status_text} for view in agent_views()
    ]

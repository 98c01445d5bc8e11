"""GET /api/health: who this runtime is and whether it serves. Constant time, whatever the database's size."""

from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings
from django.db import DatabaseError

from groupx.kernel.errors import GroupXError
from rooms.asgi_json import JsonRequest, Receive, Scope, Send, endpoint
from rooms.envelope import dump
from rooms.queries import last_seq
from rooms.transactions import in_reader
from turns.queries import agent_views

PROTOCOL = "groupx.runtime/1"


def health_endpoint(
    is_closing: Callable[[], bool], why_unwritable: Callable[[], str | None]
) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    """200 `ok` while serving, 503 `closing` while draining; both with the runtime's whole identity.

    `why_unwritable` gives the database's words while it cannot be written.
    """

    async def get_health(request: JsonRequest) -> tuple[int, str]:
        closing = is_closing()
        shown: dict[str, Any] = {
            "service": "groupx",
            "protocol": PROTOCOL,
            "status": "closing" if closing else "ok",
            "runtimeKey": settings.RUN.runtime_key,
            "runtimeScopeKey": settings.RUN.runtime_scope_key,
        }
        try:
            shown |= await in_reader(_database_and_agents)
        except (DatabaseError, GroupXError):
            shown |= {"database": {"status": "unavailable"}, "agents": []}
        if (reason := why_unwritable()) is not None:
            shown["database"] |= {"status": "unwritable", "reason": reason}
        return (503 if closing else 200), dump(shown)

    return endpoint({"GET": get_health})


def _database_and_agents() -> dict[str, Any]:
    return {
        "database": {"status": "ok", "lastSeq": last_seq()},
        "agents": [
            {"actorId": view.actor_id, "status": view.status.value, "statusText": view.status_text}
            for view in agent_views()
        ],
    }

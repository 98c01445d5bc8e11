"""POST /api/runtime/shutdown and /restart: ending or renewing this very runtime from outside.

No message and no command of the room: nothing is stored. Who asks must name the runtimeScopeKey that health
tells, so that nobody stops another room by mistake. Source: docs/protocol.md, "Stop and restart".
"""

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypedDict

from asgiref.sync import async_to_sync
from django.conf import settings
from django.urls import path
from pydantic import Field, with_config
from rest_framework.request import Request
from rest_framework.response import Response

from groupx.control import Word
from groupx.kernel.answers import ANSWER
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.shapes import OwnShape, parse
from groupx.serving import Serving, current_server
from rooms.api import JsonView


class RuntimeCommand(OwnShape):
    runtime_scope_key: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


@with_config(ANSWER)
class RuntimeAccepted(TypedDict):
    accepted: Literal[True]
    runtimeKey: str
    runtimeScopeKey: str


class AcceptedResponse(Response):
    """202 with both keys; `afterwards` runs when the client has been answered."""

    def __init__(self, afterwards: Callable[[], None]) -> None:
        run = settings.RUN
        body: RuntimeAccepted = {
            "accepted": True,
            "runtimeKey": run.runtime_key,
            "runtimeScopeKey": run.runtime_scope_key,
        }
        super().__init__(body, status=202)
        self._afterwards = afterwards

    def close(self) -> None:
        super().close()
        self._afterwards()


class ShutdownView(JsonView):
    def post(self, request: Request) -> Response:
        server = _asked_for_this_runtime(request)

        async def shut_down() -> None:
            server.drain()
            if not server.ask_parent(Word.SHUTDOWN):
                server.end()

        return AcceptedResponse(async_to_sync(shut_down))


class RestartView(JsonView):
    """The parent starts everything anew with the newest configuration; refused while that is invalid."""

    def post(self, request: Request) -> Response:
        server = _asked_for_this_runtime(request)
        server.check_restart()

        async def restart() -> None:
            server.ask_parent(Word.RESTART)

        return AcceptedResponse(async_to_sync(restart))


def _asked_for_this_runtime(request: Request) -> Serving:
    data: dict[str, Any] = request.data
    command = parse(RuntimeCommand, data)
    if command.runtime_scope_key != settings.RUN.runtime_scope_key:
        raise GroupXError(ErrorCode.RUNTIME_SCOPE_MISMATCH, "That key belongs to another room; this one goes on.")
    server = current_server()
    if server is None:
        raise GroupXError(ErrorCode.SESSION_NOT_AVAILABLE, "No runtime serves in this process.")
    return server


urlpatterns = [
    path("shutdown", ShutdownView.as_view()),
    path("restart", RestartView.as_view()),
]

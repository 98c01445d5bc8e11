"""What answers which path before there is a room: the setup and what its page needs. No database is opened."""

import re

from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.urls import path, re_path

from groupx.guard import Guard, refuse
from groupx.health import setup_health_endpoint
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.setup import api as setup_api
from groupx.setup.desk import SetupDesk
from groupx.setup.detect import Detection
from groupx.setup_runtime import SetupRuntime
from rooms.asgi_json import Receive, Scope, Send

SETUP_PATH = "/setup"
MACHINES = ("/api/", "/mcp", "/operator/", "/metrics", "/ws/")
"""Who asks below these is no browser that shows a page."""


def build_setup_application(runtime: SetupRuntime) -> Guard:
    run, clock = runtime.run, runtime.clock
    desk = SetupDesk(run.config_path, runtime.port, runtime, Detection(clock), clock, running=None)
    django = get_asgi_application()

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        """Of the setup; of a room that runs elsewhere meanwhile, its own."""
        origin = runtime.room_origin()
        await (django(scope, receive, send) if origin is None else _redirect(f"{origin}/", send))

    async def elsewhere(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" or scope["path"].startswith(MACHINES):
            await refuse(scope, receive, send, _not_set_up())
            return
        origin = runtime.room_origin()
        await _redirect(SETUP_PATH if origin is None else f"{origin}{scope['path']}", send)

    http = URLRouter(
        [
            path("api/health", setup_health_endpoint(lambda: runtime.is_draining)),
            *setup_api.routes(desk),
            re_path(r"^api/runtime/(shutdown|restart)$", django),
            re_path(r"^setup/?$", page),
            re_path(rf"^({re.escape(settings.STATIC_URL.strip('/'))}|language|jsi18n)/", django),
            re_path(r"", elsewhere),
        ]
    )
    routes = ProtocolTypeRouter({"http": http, "websocket": elsewhere})
    return Guard(routes, runtime.port, lambda: runtime.is_draining)


def _not_set_up() -> GroupXError:
    return GroupXError(
        ErrorCode.SESSION_NOT_AVAILABLE, f"There is no room yet: GroupX waits to be set up, at {SETUP_PATH}."
    )


async def _redirect(to: str, send: Send) -> None:
    headers = [(b"location", to.encode()), (b"cache-control", b"no-store"), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 302, "headers": headers})
    await send({"type": "http.response.body", "body": b""})

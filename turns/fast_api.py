"""The hot endpoints: POST messages, POST cancel, GET bootstrap. Plain ASGI, one hop into a database thread.

Same shapes and errors as the other endpoints (turns/api.py); only the way through the server is shorter.
"""

from django.conf import settings
from django.urls import path

from groupx.kernel.clock import SystemClock
from groupx.kernel.shapes import parse, read_object
from rooms.asgi_json import JsonRequest, endpoint
from rooms.caller import web_caller
from rooms.envelope import dump
from rooms.requests import Command, RoomQuery
from rooms.transactions import in_db, in_reader
from turns import commands
from turns.queries.room import room_snapshot
from turns.requests import SendMessage

_CLOCK = SystemClock()


async def post_message(request: JsonRequest) -> tuple[int, str]:
    command = parse(SendMessage, read_object(await request.body()))
    receipt = await in_db(
        commands.send_message,
        command,
        caller=web_caller(),
        limits=settings.RUN.config.limits,
        clock=_CLOCK,
    )
    return 202, receipt.text


async def post_cancel(request: JsonRequest) -> tuple[int, str]:
    command = parse(Command, read_object(await request.body()))
    receipt = await in_db(commands.cancel, request.route_kwargs["turn_id"], command, caller=web_caller(), clock=_CLOCK)
    return 202, receipt.text


async def get_bootstrap(request: JsonRequest) -> tuple[int, str]:
    asked = request.query(RoomQuery)
    return 200, await in_reader(lambda: dump(room_snapshot(settings.RUN.config.limits, asked.room_id)))


routes = [
    path("api/messages", endpoint({"POST": post_message})),
    path("api/turns/<str:turn_id>/cancel", endpoint({"POST": post_cancel})),
    path("api/bootstrap", endpoint({"GET": get_bootstrap})),
]

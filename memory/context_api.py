"""REST of the room's context (edge). Plain ASGI, one hop into a database thread: an open page asks for the usage after
each message, and a compaction is waited for without a thread.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol

from django.conf import settings
from django.urls import path

from groupx.kernel.clock import SystemClock
from groupx.kernel.shapes import parse, read_object
from memory import commands
from memory.queries.context_usage import context_usage
from rooms.asgi_json import JsonRequest, Receive, Scope, Send, endpoint
from rooms.caller import Caller, web_caller
from rooms.command_names import CommandName
from rooms.envelope import dump
from rooms.requests import Command, Once, RoomQuery
from rooms.transactions import in_db, in_reader

_CLOCK = SystemClock()


class Compactions(Protocol):
    """memory/manual_compaction.py, as the server has it."""

    async def answer(self, command: Once, *, caller: Caller, name: CommandName = ...) -> str: ...


async def get_usage(request: JsonRequest) -> tuple[int, str]:
    asked = request.query(RoomQuery)
    return 200, await in_reader(lambda: dump(context_usage(_max_characters(), asked.room_id)))


async def post_reset(request: JsonRequest) -> tuple[int, str]:
    command = parse(Command, read_object(await request.body()))
    receipt = await in_db(
        commands.begin_anew, command, caller=web_caller(), max_characters=_max_characters(), clock=_CLOCK
    )
    return 200, receipt.text


def compact_endpoint(compactions: Compactions) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    """POST /api/context/compact: answered when it is done."""

    async def post_compact(request: JsonRequest) -> tuple[int, str]:
        command = parse(Command, read_object(await request.body()))
        return 200, await compactions.answer(command, caller=web_caller())

    return endpoint({"POST": post_compact})


def _max_characters() -> int:
    characters: int = settings.RUN.config.limits.context_characters
    return characters


routes = [
    path("api/context", endpoint({"GET": get_usage})),
    path("api/context/reset", endpoint({"POST": post_reset})),
]

"""REST edges of memory, identity and search: parse, call one command or query, render."""

from rest_framework.request import Request
from rest_framework.response import Response

from groupx.kernel.clock import SystemClock
from groupx.kernel.shapes import parse
from memory import commands
from memory.queries.records import memory_record, search_identity, search_memory
from memory.queries.search import search_room
from memory.requests import (
    IdentityQuery,
    MemoryQuery,
    RememberIdentity,
    RememberMemory,
    ReviseIdentity,
    ReviseMemory,
    SearchQuery,
)
from rooms.api import JsonView
from rooms.caller import web_caller
from rooms.queries import last_seq
from rooms.requests import Command, RoomQuery

_CLOCK = SystemClock()


class _RoomView(JsonView):
    def asked[T: RoomQuery](self, shape: type[T]) -> T:
        """
        Raises:
            GroupXError: INVALID_ENVELOPE naming each parameter that does not fit; NOT_FOUND for another room.
        """
        query = self.query(shape)
        last_seq(query.room_id)
        return query


class MemoryView(_RoomView):
    """GET, POST /api/memory"""

    def get(self, request: Request) -> Response:
        return Response(search_memory(self.asked(MemoryQuery)))

    def post(self, request: Request) -> Response:
        command = parse(RememberMemory, request.data)
        return Response(commands.remember(command, caller=web_caller(), clock=_CLOCK).result, status=201)


class MemoryRecordView(_RoomView):
    """GET /api/memory/<memoryId>: also one that is active no longer."""

    def get(self, request: Request, memory_id: str) -> Response:
        self.asked(RoomQuery)
        return Response(memory_record(memory_id))


class MemorySupersedeView(JsonView):
    """POST /api/memory/<memoryId>/supersede"""

    def post(self, request: Request, memory_id: str) -> Response:
        command = parse(ReviseMemory, request.data)
        return Response(commands.supersede(memory_id, command, caller=web_caller(), clock=_CLOCK).result, status=201)


class MemoryRetractView(JsonView):
    """POST /api/memory/<memoryId>/retract"""

    def post(self, request: Request, memory_id: str) -> Response:
        command = parse(Command, request.data)
        return Response(commands.retract(memory_id, command, caller=web_caller(), clock=_CLOCK).result)


class IdentityView(_RoomView):
    """GET, POST /api/identity"""

    def get(self, request: Request) -> Response:
        return Response(search_identity(self.asked(IdentityQuery)))

    def post(self, request: Request) -> Response:
        command = parse(RememberIdentity, request.data)
        return Response(commands.remember_who(command, caller=web_caller(), clock=_CLOCK).result, status=201)


class IdentitySupersedeView(JsonView):
    """POST /api/identity/<identityId>/supersede"""

    def post(self, request: Request, identity_id: str) -> Response:
        command = parse(ReviseIdentity, request.data)
        receipt = commands.supersede_who(identity_id, command, caller=web_caller(), clock=_CLOCK)
        return Response(receipt.result, status=201)


class IdentityRetractView(JsonView):
    """POST /api/identity/<identityId>/retract"""

    def post(self, request: Request, identity_id: str) -> Response:
        command = parse(Command, request.data)
        return Response(commands.retract_who(identity_id, command, caller=web_caller(), clock=_CLOCK).result)


class SearchView(_RoomView):
    """GET /api/search?q=&kinds=: words in messages, memory and identity."""

    def get(self, request: Request) -> Response:
        return Response(search_room(self.asked(SearchQuery)))

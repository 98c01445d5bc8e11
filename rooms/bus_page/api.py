"""REST of the file bus's rooms, for their page (edge)."""

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.shapes import parse
from rooms.api import JsonView
from rooms.bus_page import commands
from rooms.bus_page.answers import BusRoom
from rooms.bus_page.queries import NEWEST, newest_messages, one_message, wire
from rooms.bus_page.requests import BusMessagesQuery, SwitchSelfDrive, WakeMember, WriteToBus


class BusRoomView(JsonView):
    """GET /api/bus/<room>: its newest messages, its members, the self-drive, of one moment."""

    def get(self, request: Request, room: str) -> Response:
        found = commands.existing_room(settings.BUS_HOME, room)
        with commands.told_as_problems():
            page = newest_messages(found, None, NEWEST)
            messages = page["messages"]
            shown: BusRoom = {
                **commands.state_of(found),
                **page,
                "lastSeq": messages[-1]["seq"] if messages else 0,
            }
        return Response(shown)


class BusMessagesView(JsonView):
    """GET /api/bus/<room>/messages?beforeSeq=&limit=: older ones. POST: write one as the person."""

    def get(self, request: Request, room: str) -> Response:
        found, asked = commands.existing_room(settings.BUS_HOME, room), self.query(BusMessagesQuery)
        with commands.told_as_problems():
            return Response(newest_messages(found, asked.before_seq, asked.limit))

    def post(self, request: Request, room: str) -> Response:
        found = commands.existing_room(settings.BUS_HOME, room)
        return Response(commands.write(found, parse(WriteToBus, request.data)), status=201)


class BusMessageView(JsonView):
    """GET /api/bus/<room>/messages/<seq>: one message, whole."""

    def get(self, request: Request, room: str, seq: int) -> Response:
        found = commands.existing_room(settings.BUS_HOME, room)
        with commands.told_as_problems():
            message = one_message(found, seq)
        if message is None:
            raise GroupXError(ErrorCode.NOT_FOUND, f"There is no message {seq} in this room.")
        return Response(wire(message, None))


class BusWakeView(JsonView):
    """POST /api/bus/<room>/members/<member>/wake"""

    def post(self, request: Request, room: str, member: str) -> Response:
        found = commands.existing_room(settings.BUS_HOME, room)
        parse(WakeMember, request.data)
        return Response(commands.wake(found, member), status=202)


class BusSelfDriveView(JsonView):
    """POST /api/bus/<room>/self-drive"""

    def post(self, request: Request, room: str) -> Response:
        found = commands.existing_room(settings.BUS_HOME, room)
        return Response(commands.switch_self_drive(found, parse(SwitchSelfDrive, request.data)))

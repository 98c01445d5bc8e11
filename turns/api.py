"""REST edges around turns and the log: parse, call one action or query, render."""

from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from groupx.kernel.clock import SystemClock
from groupx.kernel.errors import invalid
from groupx.kernel.shapes import parse
from rooms.caller import web_caller
from rooms.queries import events_before, one_event
from rooms.sse import MAX_SEQ
from rooms.vocabulary import MAIN_ROOM
from turns import commands
from turns.queries import agent_views, find_room, packet_of, turn_in_full
from turns.requests import Command

_CLOCK = SystemClock()
MAX_PAGE = 500


class RoomView(APIView):
    """A view of one room: `roomId` is the main room's or the room is not found."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method == "GET":
            self.room = find_room(request.query_params.get("roomId", MAIN_ROOM))


class HistoryView(RoomView):
    """GET /api/history?beforeSeq=&limit=: older events, newest first; `nextCursor` while there are more."""

    def get(self, request: Request) -> Response:
        before = _whole_number(request, "beforeSeq", default=self.room.last_seq + 1, at_most=MAX_SEQ)
        limit = _whole_number(request, "limit", default=100, at_most=MAX_PAGE)
        events = events_before(before, limit, self.room.room_id)
        page: dict[str, Any] = {"events": [event.shortened().wire() for event in events]}
        if len(events) == limit and events[-1].seq and events[-1].seq > 1:
            page["nextCursor"] = events[-1].seq
        return Response(page)


class EventView(RoomView):
    """GET /api/events/<eventId>: one event, whole."""

    def get(self, request: Request, event_id: str) -> Response:
        return Response(one_event(event_id).wire())


class AgentsView(RoomView):
    """GET /api/agents: the roster with health, capabilities and each agent's last error."""

    def get(self, request: Request) -> Response:
        return Response({"items": [view.wire_in_full() for view in agent_views()]})


class AgentRestartView(APIView):
    """POST /api/agents/<actorId>/restart"""

    def post(self, request: Request, actor_id: str) -> Response:
        command = parse(Command, request.data)
        receipt = commands.restart(actor_id, command, caller=web_caller(), clock=_CLOCK)
        return Response(receipt.result, status=202)


class TurnView(RoomView):
    """GET /api/turns/<id>"""

    def get(self, request: Request, turn_id: str) -> Response:
        return Response(turn_in_full(turn_id))


class TurnPacketView(RoomView):
    """GET /api/turns/<id>/packet: the text the agent was given."""

    def get(self, request: Request, turn_id: str) -> Response:
        return Response(packet_of(turn_id))


class TurnRetryView(APIView):
    """POST /api/turns/<id>/retry: a new turn for one that failed, was cancelled or interrupted."""

    def post(self, request: Request, turn_id: str) -> Response:
        command = parse(Command, request.data)
        receipt = commands.retry(turn_id, command, caller=web_caller(), limits=settings.RUN.config.limits, clock=_CLOCK)
        return Response(receipt.result, status=202)


def _whole_number(request: Request, name: str, *, default: int, at_most: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 19) or not 1 <= int(text) <= at_most:
        raise invalid(f"{name} must be a whole number from 1 to {at_most}.", name)
    return int(text)

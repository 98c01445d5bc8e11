"""REST edges around turns and the log: parse, call one action or query, render."""

from typing import Any

from django.conf import settings
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from groupx.kernel.clock import SystemClock
from groupx.kernel.shapes import parse
from rooms.answers import HistoryPage
from rooms.api import JsonView
from rooms.caller import web_caller
from rooms.queries import events_before, one_event_json
from rooms.requests import Command, HistoryQuery, RoomQuery
from turns import commands
from turns.answers import Agents
from turns.queries.agents import agent_views
from turns.queries.preview import preview
from turns.queries.room import find_room
from turns.queries.turns import packet_of, turn_in_full
from turns.queries.usage import usage_by_day
from turns.requests import GrantRequest, MessageDraft, UsageQuery

_CLOCK = SystemClock()


class RoomView(JsonView):
    """A view of one room: `roomId` is the main room's or the room is not found."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.room = find_room(self.query(RoomQuery).room_id)


class HistoryView(RoomView):
    """GET /api/history?beforeSeq=&limit=: older events, newest first; `nextCursor` while there are more."""

    def get(self, request: Request) -> Response:
        asked = self.query(HistoryQuery)
        events = events_before(asked.before_seq, asked.limit, self.room.room_id)
        page: HistoryPage = {"events": [event.wire() for event in events]}
        if len(events) == asked.limit and events[-1].seq and events[-1].seq > 1:
            page["nextCursor"] = events[-1].seq
        return Response(page)


class EventView(RoomView):
    """GET /api/events/<eventId>: one event, whole."""

    def get(self, request: Request, event_id: str) -> HttpResponse:
        return HttpResponse(one_event_json(event_id), content_type="application/json")


class AgentsView(RoomView):
    """GET /api/agents: the roster with health, capabilities and each agent's last error."""

    def get(self, request: Request) -> Response:
        roster: Agents = {"items": [view.wire_in_full() for view in agent_views()]}
        return Response(roster)


class AgentRestartView(JsonView):
    """POST /api/agents/<actorId>/restart"""

    def post(self, request: Request, actor_id: str) -> Response:
        command = parse(Command, request.data)
        receipt = commands.restart(actor_id, command, caller=web_caller(), clock=_CLOCK)
        return Response(receipt.result, status=202)


class AgentResumeView(JsonView):
    """POST /api/agents/<actorId>/resume: past a pause, or another try of what has failed."""

    def post(self, request: Request, actor_id: str) -> Response:
        command = parse(Command, request.data)
        days = settings.RUN.config.days
        receipt = commands.resume(actor_id, command, caller=web_caller(), days=days, clock=_CLOCK)
        return Response(receipt.result, status=202)


class AgentFreshSessionView(JsonView):
    """POST /api/agents/<actorId>/fresh-session"""

    def post(self, request: Request, actor_id: str) -> Response:
        command = parse(Command, request.data)
        receipt = commands.begin_afresh(actor_id, command, caller=web_caller(), clock=_CLOCK)
        return Response(receipt.result, status=202)


class UsageView(RoomView):
    """GET /api/usage?days=&lastDay=&agent=: what agents have told of their use, by agent and day."""

    def get(self, request: Request) -> Response:
        days = settings.RUN.config.days
        today = days.day_of(_CLOCK.now())
        return Response(usage_by_day(self.query(UsageQuery), days, today))


class PreviewView(JsonView):
    """POST /api/preview: what each agent would be given for a draft. Reads only."""

    def post(self, request: Request) -> Response:
        draft = parse(MessageDraft, request.data)
        return Response(preview(draft, caller=web_caller(), limits=settings.RUN.config.limits))


class TurnView(RoomView):
    """GET /api/turns/<id>"""

    def get(self, request: Request, turn_id: str) -> Response:
        return Response(turn_in_full(turn_id))


class TurnPacketView(RoomView):
    """GET /api/turns/<id>/packet: the text the agent was given."""

    def get(self, request: Request, turn_id: str) -> Response:
        return Response(packet_of(turn_id))


class TurnRetryView(JsonView):
    """POST /api/turns/<id>/retry: a new turn for one that failed, was cancelled or interrupted."""

    def post(self, request: Request, turn_id: str) -> Response:
        command = parse(Command, request.data)
        receipt = commands.retry(turn_id, command, caller=web_caller(), limits=settings.RUN.config.limits, clock=_CLOCK)
        return Response(receipt.result, status=202)


class LimitsGrantView(JsonView):
    """POST /api/limits/grant: agents that reached a limit go on, and the message that waits is sent."""

    def post(self, request: Request) -> Response:
        command = parse(GrantRequest, request.data)
        receipt = commands.grant(command, caller=web_caller(), limits=settings.RUN.config.limits, clock=_CLOCK)
        return Response(receipt.result, status=202)

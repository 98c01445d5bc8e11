"""The pages of the file bus (edge): the list of rooms, one room, its live stream."""

from dataclasses import dataclass
from urllib.parse import quote

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_eventstream.views import events

from groupx.kernel.errors import GroupXError
from groupx.kernel.problems import error_body, problem_of
from groupx.kernel.shapes import parse_query
from rooms.bus.folder import Room
from rooms.bus_page.commands import existing_room, expect_page
from rooms.bus_page.queries import RoomListed, room_list
from rooms.bus_page.requests import BusStreamQuery
from rooms.bus_page.stream import cursor_id
from rooms.script_words import script_words
from rooms.views import Language, other_languages

MODULES = (
    "api",
    "bus_composer",
    "bus_log",
    "bus_members",
    "dispatches",
    "draft",
    "elements",
    "event_stream",
    "memory_words",
    "message_box",
    "page_frame",
    "retry_later",
    "sentences",
    "shared_stream",
    "supervision",
    "text_blocks",
    "theme_button",
    "timeline_rows",
    "timeline_turns",
    "turn_live",
    "words",
)
"""What bus.js imports, directly or not."""


@dataclass(frozen=True, kw_only=True)
class BusRoomsPage:
    """What `rooms/bus_rooms.html` may use, as `page`."""

    home: str
    rooms: tuple[RoomListed, ...]
    """The one in which something was said last stands first."""
    other_languages: tuple[Language, ...]


@dataclass(frozen=True, kw_only=True)
class BusRoomPage:
    """What `rooms/bus.html` may use, as `page`."""

    room: str
    room_url: str
    """The address of this page."""
    api_url: str
    stream_url: str
    script_words_url: str
    other_languages: tuple[Language, ...]
    modules: tuple[str, ...]


@never_cache
@require_safe
def bus_rooms(request: HttpRequest) -> HttpResponse:
    """GET /bus/"""
    page = BusRoomsPage(
        home=str(settings.BUS_HOME.path),
        rooms=tuple(room_list(settings.BUS_HOME)),
        other_languages=other_languages(),
    )
    return render(request, "rooms/bus_rooms.html", {"page": page})


@never_cache
@require_safe
def bus_room(request: HttpRequest, room: str) -> HttpResponse:
    """GET /bus/<room>"""
    name = _room(room).name
    page = BusRoomPage(
        room=name,
        room_url=reverse("bus-room", args=[name]),
        api_url=f"/api/bus/{quote(name)}",
        stream_url=reverse("bus-stream", args=[name]),
        script_words_url=_script_words_url(),
        other_languages=other_languages(),
        modules=tuple(f"js/{module}.js" for module in MODULES),
    )
    return render(request, "rooms/bus.html", {"page": page})


@require_safe
def bus_stream(request: HttpRequest, room: str) -> HttpResponse:
    """GET /bus/<room>/stream/?afterSeq=: events `message` (ids end with their seqs) and `state`.

    `Last-Event-ID` wins. One that is too old, or ahead of the log, gets `stream-reset`: read the room anew.
    """
    found = _room(room)
    try:
        asked = parse_query(BusStreamQuery, request.META["QUERY_STRING"])
    except GroupXError as error:
        return JsonResponse(error_body(error), status=problem_of(error).http_status)
    expect_page(found)
    request.GET = QueryDict(f"lastEventId={quote(cursor_id(found, asked.after_seq))}")
    return events(request, bus_room=found)


def _room(name: str) -> Room:
    try:
        return existing_room(settings.BUS_HOME, name)
    except GroupXError:
        raise Http404 from None


def _script_words_url() -> str:
    language = get_language() or settings.LANGUAGE_CODE
    return reverse("script-words", args=[language, script_words(language).version])

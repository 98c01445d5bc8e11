"""The room's page and its fragments of HTML (edge). Everything that moves on the page comes through the API."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_eventstream.views import events

from rooms.models import Room
from rooms.vocabulary import MAIN_ROOM

from .fragments import AgentCard, all_cards, card_html


@dataclass(frozen=True, kw_only=True)
class RoomPage:
    """What `rooms/room.html` may use, as `page`."""

    title: str
    cards: tuple[AgentCard, ...]
    cards_url: str
    """All cards as HTML, for a page that has missed some."""
    cards_stream_url: str
    """Server-sent events `card` with {"html"}: one or more cards that replace those of the same agents."""


@never_cache
@require_safe
def room_page(request: HttpRequest) -> HttpResponse:
    """GET /"""
    title = Room.objects.filter(room_id=MAIN_ROOM).values_list("title", flat=True).first()
    page = RoomPage(
        title=title or "GroupX",
        cards=tuple(all_cards()),
        cards_url=reverse("agent-cards"),
        cards_stream_url=reverse("agent-card-stream"),
    )
    return render(request, "rooms/room.html", {"page": page})


@never_cache
@require_safe
def agent_cards(request: HttpRequest) -> HttpResponse:
    """GET /agents/cards/"""
    return HttpResponse("".join(card_html(card) for card in all_cards()))


@require_safe
def agent_card_stream(request: HttpRequest) -> HttpResponse:
    """GET /agents/stream/: takes no parameters; the library's own are for uses that this room does not have."""
    request.GET = QueryDict()
    return events(request)

"""The room's page and its fragments of HTML (edge). Everything that moves on the page comes through the API."""

from dataclasses import dataclass

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import get_language, override
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_eventstream.views import events

from groupx.kernel.sentences import sentences

from .fragments import AgentCard, all_cards, card_html
from .queries import room_title
from .script_words import script_words

A_YEAR_SECONDS = 31_536_000
MODULES = (
    "agent_memory",
    "api",
    "assistant",
    "assistant_desk",
    "assistant_link",
    "assistant_talk",
    "assistant_unsent",
    "assistant_view",
    "assistant_words",
    "card_pieces",
    "cards",
    "composer",
    "context_gauge",
    "dispatch_card",
    "dispatches",
    "draft",
    "elements",
    "event_stream",
    "given_context",
    "log_view",
    "memories",
    "memory_days",
    "memory_section",
    "memory_words",
    "message_box",
    "named_text",
    "notices",
    "observer_choice",
    "once",
    "packet_sections",
    "packet_view",
    "packet_words",
    "page_frame",
    "pauses",
    "pending_changes",
    "record_card",
    "record_drafts",
    "record_form",
    "record_list",
    "record_pages",
    "retry_later",
    "room_actions",
    "room_restart",
    "roster",
    "sentences",
    "shared_stream",
    "supervision",
    "text_blocks",
    "theme_button",
    "timeline",
    "timeline_rows",
    "timeline_turns",
    "tool_details",
    "turn_live",
    "turn_use",
    "unseen",
    "words",
)
"""What room.js imports, directly or not."""


@dataclass(frozen=True, kw_only=True)
class Language:
    code: str
    name: str
    """In the language itself."""


@dataclass(frozen=True, kw_only=True)
class RoomPage:
    """What `rooms/room.html` may use, as `page`."""

    title: str
    cards: tuple[AgentCard, ...]
    cards_url: str
    """All cards as HTML, for a page that has missed some."""
    cards_stream_url: str
    """Server-sent events `card` with {"html"}: one or more cards that replace those of the same agents."""
    script_words_url: str
    """`gettext` and its words in the page's language."""
    other_languages: tuple[Language, ...]
    """What the page could be in instead."""
    modules: tuple[str, ...]
    """Files that the page's script imports: the browser asks for all at once instead of finding one by another."""


@never_cache
@require_safe
def room_page(request: HttpRequest) -> HttpResponse:
    """GET /"""
    language = get_language() or settings.LANGUAGE_CODE
    page = RoomPage(
        title=sentences(language)(room_title() or "GroupX"),
        cards=tuple(all_cards()),
        cards_url=reverse("agent-cards", args=[language]),
        cards_stream_url=reverse("agent-card-stream", args=[language]),
        script_words_url=reverse("script-words", args=[language, script_words(language).version]),
        other_languages=other_languages(),
        modules=tuple(f"js/{name}.js" for name in MODULES),
    )
    return render(request, "rooms/room.html", {"page": page})


@require_safe
def script_catalogue(request: HttpRequest, language: str, version: str) -> HttpResponse:
    """GET /jsi18n/<language>/<version>.js: its address changes with its content, so it is asked for once."""
    words = script_words(_offered(language))
    response = HttpResponse(words.script, content_type=words.content_type)
    if version == words.version:
        patch_cache_control(response, private=True, max_age=A_YEAR_SECONDS, immutable=True)
    else:  # a page older than this process
        patch_cache_control(response, no_store=True)
    return response


@never_cache
@require_safe
def agent_cards(request: HttpRequest, language: str) -> HttpResponse:
    """GET /agents/<language>/cards/: in the asking page's language, whatever was chosen in another tab since."""
    with override(_offered(language)):
        return HttpResponse("".join(card_html(card) for card in all_cards()))


@require_safe
def agent_card_stream(request: HttpRequest, language: str) -> HttpResponse:
    """GET /agents/<language>/stream/: no parameters; the library's own are for uses that this room does not have."""
    request.GET = QueryDict()
    return events(request, language=_offered(language))


def other_languages() -> tuple[Language, ...]:
    """What the page could be in instead."""
    language = get_language() or settings.LANGUAGE_CODE
    return tuple(Language(code=code, name=name) for code, name in settings.LANGUAGES if code != language)


def _offered(language: str) -> str:
    if language not in dict(settings.LANGUAGES):
        raise Http404
    return language

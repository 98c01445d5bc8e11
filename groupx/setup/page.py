"""GET /setup: the page on which agents are added and changed, before there is a room and in one that runs (edge).

Asks no database. What the page shows comes through /api/setup; a form that never was loaded cannot be half filled.
"""

import json
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from groupx.demo_room import demo_configuration
from groupx.kernel.config import MAX_NAME_CHARACTERS
from groupx.setup.draft import MAX_AGENTS, MAX_PATH_CHARACTERS, Raw, draft_of
from rooms.script_words import script_words
from rooms.views import Language, other_languages

MODULES = (
    "api",
    "copy_button",
    "dispatches",
    "elements",
    "memory_words",
    "room_restart",
    "sentences",
    "setup_agent",
    "setup_agents",
    "setup_assistant",
    "setup_draft",
    "setup_fields",
    "setup_launch",
    "setup_machine",
    "setup_review",
    "setup_rules",
    "setup_save",
    "setup_trial",
    "supervision",
    "theme_button",
    "timeline_rows",
    "timeline_turns",
    "turn_live",
    "words",
)
"""What setup.js imports, directly or not."""


@dataclass(frozen=True, kw_only=True)
class SetupPage:
    """What `setup/setup.html` may use, as `page`."""

    script_words_url: str
    other_languages: tuple[Language, ...]
    modules: tuple[str, ...]
    demo_agents: str
    """The demo's scripted agents as drafts, in JSON: for a machine without any agent CLI."""
    max_agents: int
    max_name_chars: int
    max_path_chars: int


def demo_agents() -> list[Raw]:
    """They work in the folder of the configuration: it is there."""
    return [{**agent, "cwd": "."} for agent in draft_of(demo_configuration())["agents"]]


@never_cache
@require_safe
def setup_page(request: HttpRequest) -> HttpResponse:
    """GET /setup"""
    language = get_language() or settings.LANGUAGE_CODE
    page = SetupPage(
        script_words_url=reverse("script-words", args=[language, script_words(language).version]),
        other_languages=other_languages(),
        modules=tuple(f"js/{module}.js" for module in MODULES),
        demo_agents=json.dumps(demo_agents()),
        max_agents=MAX_AGENTS,
        max_name_chars=MAX_NAME_CHARACTERS,
        max_path_chars=MAX_PATH_CHARACTERS,
    )
    return render(request, "setup/setup.html", {"page": page})

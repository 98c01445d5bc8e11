"""Agents' cards as HTML, drawn by one template for the first page, for a refresh and for the live stream (edge).

The stream is django-eventstream's, on one channel per language. It stores nothing: what a card shows is always in
the database, so a listener that fell behind is given all cards as they are now.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import get_language, override
from django.utils.translation import gettext_lazy as _
from django_eventstream import send_event
from django_eventstream.channelmanager import ChannelManagerBase
from django_eventstream.event import Event
from django_eventstream.storage import StorageBase

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode
from groupx.kernel.logs import get_logger
from groupx.kernel.sentences import sentences
from rooms.card_use import (
    CardPause,
    CardUse,
    UseOfToday,
    can_try_again,
    offers_fresh_session,
    pause_of,
    use_of_today,
    wants_a_person,
)
from rooms.envelope import dump
from rooms.shown_capabilities import ShownCapabilities, shown_capabilities
from rooms.transactions import in_reader
from turns.queries.agents import AgentView, agent_view, agent_views
from turns.state import LaneStatus, PauseKind

log = get_logger()

CHANNEL = "agents"
CARD_TEMPLATE = "rooms/room.html#agent_card"
COLOURS = 5

STATUS_WORDS: dict[LaneStatus, Promise] = {
    LaneStatus.STARTING: _("starting"),
    LaneStatus.READY: _("idle"),
    LaneStatus.WORKING: _("working"),
    LaneStatus.RETRYING: _("trying again"),
    LaneStatus.PAUSED: _("paused"),
    LaneStatus.FAILED: _("failed"),
    LaneStatus.NATIVE_POLICY_BLOCKED: _("blocked by its policy"),
    LaneStatus.STOPPED: _("stopped"),
    LaneStatus.DISABLED: _("switched off"),
    LaneStatus.PENDING_RESTART: _("waiting for a restart"),
}
STATUS_TONES: dict[LaneStatus, str] = {
    LaneStatus.STARTING: "warn",
    LaneStatus.READY: "ok",
    LaneStatus.WORKING: "work",
    LaneStatus.RETRYING: "warn",
    LaneStatus.PAUSED: "warn",
    LaneStatus.FAILED: "bad",
    LaneStatus.NATIVE_POLICY_BLOCKED: "bad",
    LaneStatus.STOPPED: "off",
    LaneStatus.DISABLED: "off",
    LaneStatus.PENDING_RESTART: "warn",
}
_WITHOUT_RESTART = frozenset({LaneStatus.DISABLED, LaneStatus.PENDING_RESTART})


@dataclass(frozen=True, kw_only=True)
class CardError:
    code: str
    message: str
    hint: str
    exit_code: int | None
    output: str


@dataclass(frozen=True, kw_only=True)
class AgentCard:
    """What the template `rooms/room.html#agent_card` may use, as `card`."""

    actor_id: str
    display_name: str
    initials: str
    colour: int
    """1 to 5, by the agent's place in the roster."""
    driver: str
    status: LaneStatus
    status_word: Promise
    status_text: str
    tone: str
    queue_length: int
    """Turns that wait, without the running one."""
    cwd: str
    identity: str
    capabilities: ShownCapabilities | None
    can_restart: bool
    error: CardError | None
    """Only while it explains the status, or what a person has to do."""
    use: CardUse | None
    """Today's."""
    pause: CardPause | None
    can_try_again: bool
    offers_fresh_session: bool


def card_of(view: AgentView, today: UseOfToday | None = None) -> AgentCard:
    """In the language that is active; `today` where several cards are drawn at once."""
    return AgentCard(
        actor_id=view.actor_id,
        display_name=view.display_name,
        initials=view.display_name.strip()[:2],
        colour=view.roster_position % COLOURS + 1,
        driver=view.driver,
        status=view.status,
        status_word=STATUS_WORDS[view.status],
        status_text=_in_words(view.status_text),
        tone=STATUS_TONES[view.status],
        queue_length=max(0, view.queue_length - (1 if view.active_turn_id else 0)),
        cwd=view.cwd,
        identity=view.identity,
        capabilities=shown_capabilities(view.cli),
        can_restart=view.enabled and view.status not in _WITHOUT_RESTART,
        error=_error_of(view.last_error) if view.last_error and _explains(view) else None,
        use=(today or use_of_today()).of(view),
        pause=pause_of(view),
        can_try_again=can_try_again(view),
        offers_fresh_session=offers_fresh_session(view),
    )


def _explains(view: AgentView) -> bool:
    """Whether the card shows its last error: a pause for a rate limit says the same already."""
    if view.paused_for is PauseKind.RATE_LIMIT:
        return view.last_error is not None and view.last_error.get("code") != ErrorCode.NATIVE_RATE_LIMITED
    return STATUS_TONES[view.status] in ("bad", "warn") or wants_a_person(view)


def _in_words(sentence: str) -> str:
    return sentences(get_language() or settings.LANGUAGE_CODE)(sentence)


def _error_of(error: Mapping[str, Any]) -> CardError:
    return CardError(
        code=error.get("code", ""),
        message=_in_words(error.get("message", "")),
        hint=_in_words(error.get("hint") or ""),
        exit_code=error.get("exitCode"),
        output=error.get("output") or "",
    )


def all_cards() -> list[AgentCard]:
    today = use_of_today()
    return [card_of(view, today) for view in agent_views()]


def card_html(card: AgentCard) -> str:
    """In the language that is active."""
    return render_to_string(CARD_TEMPLATE, {"card": card})


def push_agent_card(actor_id: str) -> None:
    """Show an agent's card anew on every open page. In the serve process, after the change was committed.

    Raises:
        GroupXError: UNKNOWN_ACTOR.
    """
    view = agent_view(actor_id)
    for language, _name in settings.LANGUAGES:
        with override(language):
            send_event(channel_of(language), "card", {"actorId": actor_id, "html": card_html(card_of(view))})


PAUSE_SECONDS = 0.1
"""An agent of quick turns changes its card more often than anybody can read."""


class CardPusher:
    """Pushes changed cards off the loop: the first change at once, those of the next PAUSE_SECONDS together."""

    def __init__(self, clock: Clock, push: Callable[[str], None] = push_agent_card) -> None:
        self._clock, self._push_card = clock, push
        self._changed: dict[str, None] = {}
        self._pushing: asyncio.Task[None] | None = None

    def card_changed(self, actor_id: str) -> None:
        """Call it on the loop; returns at once."""
        self._changed[actor_id] = None
        if self._pushing is None or self._pushing.done():
            self._pushing = asyncio.get_running_loop().create_task(self._push(), name="push-cards")

    async def _push(self) -> None:
        while self._changed:
            changed, self._changed = self._changed, {}
            for actor_id in changed:
                try:
                    await in_reader(self._push_card, actor_id)
                except Exception:  # the outermost place of this task: one card that fails must not stop the others
                    log.exception("card_not_pushed", actor_id=actor_id)
            await self._clock.sleep(PAUSE_SECONDS)


def channel_of(language: str) -> str:
    return f"{CHANNEL}.{language}"


class CardChannels(ChannelManagerBase):
    """A page hears the cards in its own language, and nothing else."""

    def get_channels_for_request(self, request: HttpRequest, view_kwargs: Mapping[str, Any]) -> set[str]:
        return {channel_of(view_kwargs["language"])}

    def can_read_channel(self, user: object, channel: str) -> bool:
        return channel.startswith(f"{CHANNEL}.")

    def is_channel_reliable(self, channel: str) -> bool:
        # Reliable to the library means: after more than ten unread events, ask the storage instead of dropping.
        return True


_numbers = count(1)
_last_number = 0


class NoStorage(StorageBase):
    """Numbers events and keeps none. Whoever missed some is given every card as it is now."""

    def append_event(self, channel: str, event_type: str, data: str) -> Event:
        global _last_number
        _last_number = next(_numbers)
        return Event(channel, event_type, data, id=_last_number)

    def get_events(self, channel: str, last_id: int, limit: int = 100) -> list[Event]:
        newest = _last_number
        if last_id == newest:
            return []
        with override(channel.removeprefix(f"{CHANNEL}.")):
            html = "".join(card_html(card) for card in all_cards())
        return [Event(channel, "card", _as_sent(html), id=newest)]

    def get_current_id(self, channel: str) -> int:
        return _last_number


def _as_sent(html: str) -> str:
    """The library encodes what is sent at once, and expects a storage to have done so."""
    return dump({"html": html})

"""The room's page as the server gives it (our contract: docs/architecture.md, "Front end").

Context is a documented dataclass, the policy allows no inline code or style, every word is translatable.
"""

import re
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from groupx.kernel.config import GroupXConfig
from rooms import fragments
from rooms.fragments import STATUS_TONES, STATUS_WORDS, AgentCard, card_html, card_of
from rooms.script_words import script_words
from rooms.views import RoomPage
from tests import given
from tests.fakes.clock import FakeClock
from turns.models import Lane
from turns.queries.agents import agent_view
from turns.state import LaneStatus

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
MODULES = sorted((ROOT / "static" / "js").glob("*.js"))
STYLES = sorted((ROOT / "static" / "css").glob("*.css"))


class Elements(HTMLParser):
    """Every element with its attributes, and every piece of text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append(data.strip())


SKIP_TARGET = "#message"


@pytest.fixture
def page(room: GroupXConfig, client: Client) -> Elements:
    return Elements(client.get("/").content.decode())


# ---------------------------------------------------------------- the page
def test_the_context_is_the_documented_page(room: GroupXConfig, client: Client) -> None:
    page = client.get("/").context["page"]
    assert isinstance(page, RoomPage)
    assert [card.display_name for card in page.cards] == ["Builder", "Reviewer", "Scribe", "Retired"]


@pytest.mark.parametrize(("shape", "name"), [(RoomPage, "page"), (AgentCard, "card")])
def test_the_template_uses_exactly_the_documented_fields(shape: type, name: str) -> None:
    text = (ROOT / "templates" / "rooms" / "room.html").read_text()
    assert set(re.findall(rf"\b{name}\.(\w+)", text)) == {field.name for field in fields(shape)}


def test_the_policy_allows_no_inline_code_or_style(room: GroupXConfig, client: Client) -> None:
    policy = client.get("/").headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy and "style-src 'self'" in policy


def test_the_page_has_no_inline_code_or_style(page: Elements) -> None:
    for tag, attributes in page.elements:
        assert tag != "style"
        assert tag != "script" or attributes.get("src")
        assert not [name for name in attributes if name == "style" or name.startswith("on")]


def test_everything_loaded_is_our_own(page: Elements, client: Client) -> None:
    files = [attributes for tag, attributes in page.elements if tag != "a" and attributes.get("as") != "fetch"]
    addresses = [attributes.get("src") or attributes.get("href") for attributes in files]
    for address in filter(None, addresses):
        assert address.startswith("/")
        answer = client.get(address)
        answer.close()
        assert answer.status_code == 200


def test_every_module_is_asked_for_at_once(page: Elements) -> None:
    """And no other: what is imported by nobody would be loaded for nothing."""
    imported: set[str] = set()
    waiting = ["room.js"]
    while waiting:
        text = (ROOT / "static" / "js" / waiting.pop()).read_text()
        found = set(re.findall(r'^import .*"\./([\w.]+)";$', text, re.M)) - imported
        imported |= found
        waiting += found
    preloaded = [a["href"] or "" for _, a in page.elements if a.get("rel") == "modulepreload"]
    assert sorted(address.rpartition("/")[2] for address in preloaded) == sorted(imported)


def test_the_snapshot_is_asked_for_before_the_scripts_run(page: Elements) -> None:
    [preloaded] = [attributes["href"] for _, attributes in page.elements if attributes.get("as") == "fetch"]
    assert f'bootstrap = () => get("{preloaded}")' in (ROOT / "static" / "js" / "api.js").read_text()


def test_every_element_has_one_class_and_only_what_the_keyboard_skips_to_has_an_id(page: Elements) -> None:
    assert [f"#{attributes['id']}" for _, attributes in page.elements if "id" in attributes] == [SKIP_TARGET]
    assert [tag for tag, attributes in page.elements if attributes.get("href") == SKIP_TARGET] == ["a"]
    for _tag, attributes in page.elements:
        assert len((attributes.get("class") or "").split()) <= 1


def test_every_button_has_a_name(page: Elements) -> None:
    html = "".join(path.read_text() for path in TEMPLATES)
    nameless = re.findall(r"<button[^>]*>\s*</button>", html)
    # these get their words from the script that shows them
    assert all(re.search('hidden|chip|role="tab"', button) for button in nameless)


def test_the_page_without_agents_says_what_to_do(db: None, client: Client) -> None:
    page = Elements(client.get("/").content.decode())
    assert any("groupx.json" in text for text in page.texts)


# ---------------------------------------------------------------- words
def test_scripts_insert_no_markup_but_the_servers_own_cards() -> None:
    sinks = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function")
    found = {path.name for path in MODULES if sinks.search(path.read_text())}
    assert found == {"roster.js"}


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
def test_the_scripts_words_are_kept_by_the_browser_until_they_change(client: Client, language: str) -> None:
    answer = client.get(reverse("script-words", args=[language, script_words(language).version]))
    assert answer.headers["Content-Type"].startswith("text/javascript")
    assert b"gettext" in answer.content
    assert "immutable" in answer.headers["Cache-Control"]


def test_words_of_another_version_are_not_kept(client: Client) -> None:
    assert client.get(reverse("script-words", args=["en", "older"])).headers["Cache-Control"] == "no-store"


def test_words_of_a_language_without_any_are_not_found(client: Client) -> None:
    assert client.get(reverse("script-words", args=["tlh", "any"])).status_code == 404


def test_styles_shout_nowhere_and_use_no_ids() -> None:
    for path in STYLES:
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        assert "!important" not in text
        selectors = re.sub(r"{[^{}]*}", "", text)
        assert "#" not in selectors, path
        if path.name != "tokens.css":
            assert not re.search(r":[^;{]*#[0-9a-f]{3,8}\b", text), f"a colour outside tokens.css: {path}"


# ---------------------------------------------------------------- agents' cards
def test_every_status_has_a_word_and_a_tone() -> None:
    assert set(STATUS_WORDS) == set(STATUS_TONES) == set(LaneStatus)


def test_a_failed_agent_shows_what_happened_and_how_to_go_on(room: GroupXConfig) -> None:
    error = {"code": "NATIVE_EXITED", "message": "It <b>left</b>.", "exitCode": 7, "output": "last <i>words</i>"}
    Lane.objects.update_or_create(
        actor_id="agent:builder", defaults={"status": LaneStatus.FAILED.value, "last_error": error}
    )
    html = card_html(card_of(agent_view("agent:builder")))
    for expected in (
        "failed",
        "It &lt;b&gt;left&lt;/b&gt;.",
        "NATIVE_EXITED",
        "exit code 7",
        "last &lt;i&gt;words",
        "Restart",
    ):
        assert expected in html


def test_a_waiting_turn_is_counted_and_a_running_one_is_not(room: GroupXConfig, clock: FakeClock) -> None:
    for _ in range(2):
        given.queued_turn("builder", clock=clock)
    assert card_of(agent_view("agent:builder")).queue_length == 2


def test_a_card_without_a_restart_offers_none(room: GroupXConfig) -> None:
    card = card_of(agent_view("agent:retired"))
    assert card.status is LaneStatus.DISABLED
    assert "Restart" not in card_html(card)


def test_the_fragment_holds_the_cards_of_the_page(room: GroupXConfig, client: Client) -> None:
    cards = client.get(reverse("agent-cards", args=["en"])).content.decode()
    shown = [a["data-actor-id"] for _, a in Elements(cards).elements if "data-actor-id" in a]
    assert shown == ["agent:builder", "agent:reviewer", "agent:scribe", "agent:retired"]


def test_a_pushed_card_goes_to_each_language_in_its_words(room: GroupXConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: dict[str, str] = {}
    monkeypatch.setattr(fragments, "send_event", lambda channel, kind, data: sent.update({channel: data["html"]}))
    fragments.push_agent_card("agent:builder")
    assert set(sent) == {f"agents.{language}" for language, _ in settings.LANGUAGES}
    assert all('data-actor-id="agent:builder"' in html for html in sent.values())
    assert "stopped" in sent["agents.en"] and "已停止" in sent["agents.zh-hans"]


def test_a_page_asks_for_cards_in_its_language_whatever_was_chosen_since(room: GroupXConfig, client: Client) -> None:
    page = Elements(client.get("/", headers={"Accept-Language": "zh-CN"}).content.decode())
    [body] = [attributes for tag, attributes in page.elements if tag == "body"]
    client.post("/language/", {"language": "en", "next": "/"})
    assert "已停用" in client.get(body["data-cards-url"]).content.decode()
    assert client.get(reverse("agent-cards", args=["xx"])).status_code == 404
    assert client.get(reverse("agent-card-stream", args=["xx"])).status_code == 404


def test_a_card_tells_our_sentences_in_the_active_language_and_an_agents_words_as_they_are(room: GroupXConfig) -> None:
    def shown(message: str, hint: str) -> str:
        error = {"code": "NATIVE_START_FAILED", "message": message, "hint": hint}
        Lane.objects.update_or_create(
            actor_id="agent:builder", defaults={"status": "failed", "status_text": message, "last_error": error}
        )
        with override("zh-hans"):
            return card_html(card_of(agent_view("agent:builder")))

    html = shown(
        "Kimi could not be started. The agent closed its output.", "Run “kimi login” in a terminal and sign in."
    )
    assert html.count("Kimi 无法启动。Agent 关闭了输出。") == 2
    assert "请在终端中运行“kimi login”并登录。" in html
    assert "no credits left" in shown("no credits left", "")


def test_a_listener_that_fell_behind_is_given_all_cards_as_they_are(room: GroupXConfig) -> None:
    storage = fragments.NoStorage()
    before = storage.get_current_id("agents.en")
    fragments.push_agent_card("agent:builder")
    newest = storage.get_current_id("agents.en")
    [missed] = storage.get_events("agents.en", before)
    assert missed.id == newest > before
    assert all(name in missed.data for name in ("Builder", "Reviewer", "Scribe"))
    assert storage.get_events("agents.en", newest) == []


def test_a_page_hears_its_own_language(room: GroupXConfig) -> None:
    with override("en"):
        heard = fragments.CardChannels().get_channels_for_request(None, {"language": "zh-hans"})
    assert heard == {"agents.zh-hans"}


# ---------------------------------------------------------------- colours
TEXT_COLOURS = ("ink", "ink-2", "ink-3", "accent", "ok", "warn", "bad", *(f"agent-{number}" for number in range(6)))
GROUNDS = ("ground", "surface", "sunken", "accent-soft", "bad-soft", "warn-soft")


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_can_be_read_on_every_ground(scheme: int) -> None:
    tokens = (ROOT / "static" / "css" / "tokens.css").read_text()
    colours = {name: pair for name, *pair in re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", tokens)}
    faint: dict[str, float] = {}
    for text in TEXT_COLOURS:
        for ground in GROUNDS:
            dark, bright = sorted(luminance(colours[name][scheme]) for name in (text, ground))
            if (contrast := (bright + 0.05) / (dark + 0.05)) < 4.5:
                faint[f"{text} on {ground}"] = round(contrast, 2)
    assert faint == {}

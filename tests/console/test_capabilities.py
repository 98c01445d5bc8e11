"""What an agent is able to, on its card (docs/protocol.md, "Capabilities"). Our contract."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from django.utils.translation import override

from adapters.contract import Capability, Evidence
from groupx.kernel.config import GroupXConfig
from rooms.fragments import card_html, card_of
from rooms.shown_capabilities import ShownCapabilities, ShownCapability
from tests import given
from tests.fakes.clock import FakeClock
from turns.actions.note_evidence import CliFacts, note_check
from turns.capability_words import CAPABILITY_WORDS, EVIDENCE_WORDS
from turns.queries.agents import agent_view

TEMPLATE = Path(__file__).parents[2] / "templates" / "rooms" / "agent_capabilities.html"


@pytest.fixture
def seen(room: GroupXConfig, clock: FakeClock) -> None:
    given.a_lane("builder", clock=clock)
    facts = CliFacts(driver="kimi", program="Kimi", launch="", version="2.1.0")
    told = {Capability.STREAM: Evidence.DOCUMENTED, Capability.RESUME: Evidence.UNSUPPORTED}
    note_check("agent:builder", facts, told, {Capability.PROMPT: Evidence.VERIFIED}, clock=clock)


def test_everything_has_words() -> None:
    assert set(CAPABILITY_WORDS) == set(Capability) and set(EVIDENCE_WORDS) == set(Evidence)


def test_a_card_says_what_was_seen_what_is_only_said_and_what_is_missing(seen: None, clock: FakeClock) -> None:
    with override("en"):
        html = card_html(card_of(agent_view("agent:builder")))
    assert "1 of 2 seen in a turn" in html and "2.1.0" in html
    day = f"{clock.now():%Y-%m-%d}"
    for word, how in (("answer", "seen in a turn"), ("answer word by word", "said of it, not seen yet")):
        assert re.search(rf">{word}</span> <span class=\"ability-known\">{how} · <time [^>]*>{day}</time>", html)
    assert re.search(r'data-evidence="unsupported"><span class="ability-word">resume sessions</span>', html)


def test_a_card_says_it_in_chinese(seen: None) -> None:
    with override("zh-hans"):
        html = card_html(card_of(agent_view("agent:builder")))
    assert "逐字输出" in html and "seen in" not in html


def test_a_card_of_an_agent_that_was_never_started_says_nothing_of_it(room: GroupXConfig) -> None:
    assert "abilities" not in card_html(card_of(agent_view("agent:builder")))


@pytest.mark.parametrize(("shape", "name"), [(ShownCapabilities, "shown"), (ShownCapability, "row")])
def test_the_template_uses_exactly_the_documented_fields(shape: type, name: str) -> None:
    used = set(re.findall(rf"\b{name}\.(\w+)", TEMPLATE.read_text()))
    assert used == {field.name for field in fields(shape)}

"""Documentation is kept true by tests: what the code has, the documents name."""

import re
from pathlib import Path

import pytest

from adapters.contract import Capability, Evidence
from groupx.control import Word
from groupx.kernel.config import GroupXConfig
from rooms.vocabulary import EventType

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.mark.parametrize("event_type", list(EventType))
def test_every_event_type_is_documented(event_type):
    assert f"`{event_type}`" in (DOCS / "protocol.md").read_text()


@pytest.mark.parametrize("word", [*Capability, *Evidence])
def test_every_capability_and_kind_of_evidence_is_documented(word):
    text = (DOCS / "protocol.md").read_text()
    assert f"`{word}`" in text.partition("## Capabilities")[2].partition("## Events")[0]


def _settings(model, prefix=""):
    for field in model.model_fields.values():
        yield f"{field.alias}"


@pytest.mark.parametrize("section", ["limits", "timeouts", "server", "storage"])
def test_every_setting_is_documented(section):
    text = (DOCS / "configuration.md").read_text()
    model = GroupXConfig.model_fields[section].annotation
    for alias in _settings(model):
        assert f"`{section}.{alias}`" in text, f"{section}.{alias}"


def test_every_command_is_documented():
    text = (ROOT / "README.md").read_text() + (DOCS / "operations.md").read_text()
    for command in (ROOT / "groupx/management/commands").glob("groupx_*.py"):
        assert command.stem in text


CITED = re.compile(r'docs/([a-z_-]+)\.md((?:(?:,|;| and)?\s+"[^"]{2,60}")*)')
SOURCES = [
    path
    for folder in ("adapters", "assistant", "groupx", "memory", "rooms", "turns", "static", "templates", "tests")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".js", ".mjs", ".html", ".css")
]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_the_code_cites_is_there(path: Path):
    for name, headings in CITED.findall(path.read_text()):
        document = (DOCS / f"{name}.md").read_text().splitlines()
        for heading in re.findall(r'"([^"]+)"', headings):
            assert f"## {heading}" in document, f"docs/{name}.md has no part “{heading}”"


def test_every_word_of_the_control_line_is_documented():
    for word in Word:
        assert re.search(rf"`{word}[` ]", (DOCS / "architecture.md").read_text()), word


OF_DOCTOR = re.compile(r'(?:\.problem|\.warning)\(\s*"([A-Z_]+)"|code="([A-Z_]+)"')


def test_everything_that_the_doctor_warns_of_is_documented():
    codes = {
        one or other
        for path in (ROOT / "groupx/doctor").glob("*.py")
        for one, other in OF_DOCTOR.findall(path.read_text())
    }
    text = (DOCS / "operations.md").read_text()
    assert len(codes) > 30 and sorted(code for code in codes if f"`{code}`" not in text) == []


def test_the_changelog_has_an_unreleased_part_on_top():
    assert (DOCS / "CHANGELOG.md").read_text().index("## Unreleased") < 400


def test_each_test_that_the_drivers_document_names_exists():
    named = set(re.findall(r"`(test_\w+)`", (DOCS / "drivers.md").read_text()))
    tests = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    assert len(named) > 80
    assert sorted(name for name in named if f"def {name}(" not in tests) == []

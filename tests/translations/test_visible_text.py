"""What people see goes through gettext: no words beside it in templates, scripts and styles. Our own contract."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.translations.catalogues import SCRIPTS, TEMPLATES
from tests.translations.prose import WORDS

STYLES = sorted((ROOT / "static" / "css").glob("*.css"))
LETTERS = re.compile(r"[A-Za-z]{2,}")
NAMES = {"GroupX", "OpenAPI"}
SHOWN_ATTRIBUTES = {"alt", "aria-description", "aria-label", "aria-roledescription", "label", "placeholder", "title"}
SHOWN_BY = {"alt", "ariaLabel", "innerText", "placeholder", "textContent", "title"}
"""Properties of an element that people see."""
OF_GETTEXT = {"gettext", "ngettext", "pgettext", "npgettext"}
TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)"""
    r"""|(?P<name>[\w$.]+)|(?P<mark>[-+*/&|?]=|=>|[^\s\w])""",
    re.S,
)
"""Enough of JavaScript to see what a string stands in."""
NOT_SHOWN_BY = {"Error", "TypeError", "querySelector", "querySelectorAll", "closest", "matches"}


def without_tags(template: str) -> str:
    """The template as HTML, with nothing where Django puts something."""
    template = re.sub(r"{% comment %}.*?{% endcomment %}|{#.*?#}", "", template, flags=re.S)
    template = re.sub(r"{% block body_data %}.*?{% endblock %}", "", template, flags=re.S)  # attributes of the body
    template = re.sub(r"{% blocktrans(?:late)?\b.*?{% endblocktrans(?:late)? %}", "", template, flags=re.S)
    return re.sub(r"{%.*?%}|{{.*?}}", "", template, flags=re.S)


class Visible(HTMLParser):
    """Words of a template's own, in text and in attributes that are shown or read aloud."""

    def __init__(self, template: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside: list[str] = []
        self.feed(without_tags(template))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside.append(tag)
        for name, value in attrs:
            is_shown = name in SHOWN_ATTRIBUTES or name.startswith("data-words")
            if is_shown and LETTERS.search(value or ""):
                self.found.append(f"{name}={value}")

    def handle_endtag(self, tag: str) -> None:
        self._inside.append("")

    def handle_data(self, data: str) -> None:
        is_code = bool(self._inside) and self._inside[-1] in ("script", "style")
        if not is_code and set(LETTERS.findall(data)) - NAMES:
            self.found.append(data.strip())


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_template_has_no_words_of_its_own(path: Path) -> None:
    assert Visible(path.read_text()).found == []


def hard_coded(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of strings in a script that read like prose or are shown as they are, outside of gettext."""
    tokens = [found for found in TOKEN.finditer(source) if found.lastgroup != "comment"]
    calls: list[str] = []
    for index, token in enumerate(tokens):
        before, place = (tokens[index - back][0] if index >= back else "" for back in (1, 2))
        if token[0] == "(":
            calls.append(before.rpartition(".")[2])
        elif token[0] == ")" and calls:
            calls.pop()
        words = re.sub(r"\$\{[^}]*\}", "", token[0])
        if token.lastgroup != "text" or not LETTERS.search(words):
            continue
        if OF_GETTEXT & set(calls) or NOT_SHOWN_BY & set(calls[-1:]):
            continue
        is_assigned = before in ("=", "+=") and place.rpartition(".")[2] in SHOWN_BY
        is_attribute = calls[-1:] == ["setAttribute"] and place.strip("\"'") in SHOWN_ATTRIBUTES
        if is_assigned or is_attribute or WORDS.search(words):
            yield source.count("\n", 0, token.start()) + 1, token[0]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_has_no_words_beside_gettext(path: Path) -> None:
    assert list(hard_coded(path.read_text())) == []


@pytest.mark.parametrize(
    "source",
    [
        'button.textContent = "Send";',
        'button.title = "Send";',
        'button.setAttribute("aria-label", "Close");',
        'show("Nothing was found here.");',
        "show(`Wait for ${name} to answer`);",
    ],
)
def test_words_beside_gettext_are_found(source: str) -> None:
    assert len(list(hard_coded(source))) == 1
    assert list(hard_coded(re.sub(r'("[A-Z][^"]*"|`.*`)', "gettext('x')", source))) == []


@pytest.mark.parametrize(
    "template",
    ["<p>Hello</p>", '<a title="Open it"></a>', '<p data-words-on="On">{{ x }}</p>', "{% if a %}Hello{% endif %}"],
)
def test_words_of_a_template_are_found(template: str) -> None:
    assert len(Visible(template).found) == 1


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_a_style_adds_no_words(path: Path) -> None:
    assert [text for text in re.findall(r'content:\s*"([^"]*)"', path.read_text()) if LETTERS.search(text)] == []

"""Nothing is untranslated: the catalogues hold what the sources say, all of it and no more. Our own contract.

`uv run python -m tests.translations` mends what fails here, but for the translations themselves.
"""

import re
from collections import Counter, defaultdict
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message

from tests.architecture.sources import MODULES, imported_names, modules_imported_by, name_of
from tests.translations.catalogues import (
    DOMAINS,
    LANGUAGES,
    as_po,
    compiled,
    compiled_path,
    is_translated,
    po_path,
    read_catalogue,
    renewed,
    said_in,
)

ALL = list(product(LANGUAGES, DOMAINS))
PLACES = re.compile(r"%\(\w+\)[ 0-9.]*[sdfg]|%[sd]|\{\w+\}")
TAGS = re.compile(r"</?(?:a|b|br|code|em|i|kbd|li|p|span|strong|ul)\b[^>]*>")
PLURAL_ENDING = re.compile(r"\{\w+_plural\}")  # "item{expected_plural}": a language may have none
CHINESE = re.compile(r"[一-鿿、，：（]")
SAME_IN_BOTH = re.compile(r"[A-Z]\w+|null")
"""A name that Chinese keeps, "Agent" say."""
HALF_WIDTH = re.compile(r"[一-鿿][,;:?!]|[一-鿿]\.(?!\w)")
LONGEST_TERM = 12
"""Characters of a translation that may stand for several texts: a button and a column say, or singular and plural."""
WITHOUT_SPACE = re.compile(r"[一-鿿][A-Za-z0-9]|[A-Za-z0-9][一-鿿]")


@cache
def messages(language: str, domain: str) -> list[Message]:
    return [message for message in read_catalogue(language, domain) if message.id]


def texts(message: Message) -> list[tuple[str, str]]:
    """(what is said, its translation); a translation in several forms stands for the last plural."""
    if isinstance(message.id, tuple):
        return [(message.id[-1], form) for form in message.string]
    return [(message.id, message.string)]


@pytest.mark.parametrize(("language", "domain"), ALL)
def test_a_catalogue_holds_what_the_sources_say(language: str, domain: str):
    said = {entry.text[0] if isinstance(entry.text, tuple) else entry.text: entry.place for entry in said_in(domain)}
    held = {message.id[0] if isinstance(message.id, tuple) else message.id for message in messages(language, domain)}
    assert {text: place for text, place in said.items() if text not in held} == {}, "missing from the catalogue"
    assert held - said.keys() == set(), "nobody says this any more"


@pytest.mark.parametrize(("language", "domain"), ALL)
def test_every_text_is_translated_for_sure(language: str, domain: str):
    assert [message.id for message in messages(language, domain) if not is_translated(message)] == []


@pytest.mark.parametrize(("language", "domain"), ALL)
def test_a_translation_has_the_places_and_tags_of_its_text(language: str, domain: str):
    for message in messages(language, domain):
        for said, shown in texts(message):
            for pattern in (PLACES, TAGS):
                expected = Counter(pattern.findall(PLURAL_ENDING.sub("", said)))
                assert Counter(pattern.findall(shown)) == expected, said


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_a_translation_can_be_filled_as_its_text_can(language: str, domain: str):
    """A percent sign of its own, say, would fail only when the page is drawn."""
    for message in messages(language, domain):
        for said, shown in texts(message):
            if names := re.findall(r"%\((\w+)\)", said):
                assert "%(" not in shown % dict.fromkeys(names, 1), said
            elif "%" in said:
                assert shown.count("%") == said.count("%"), said


@pytest.mark.parametrize(("language", "domain"), ALL)
def test_the_files_are_as_the_command_writes_them(language: str, domain: str):
    """So a renewal changes words only, and what is compiled is what was translated."""
    catalogue = renewed(language, domain)
    assert po_path(language, domain).read_bytes() == as_po(catalogue, domain)
    assert compiled_path(language, domain).read_bytes() == compiled(catalogue, domain)


@pytest.mark.parametrize("domain", DOMAINS)
def test_chinese_is_written_as_chinese(domain: str):
    """Full-width marks after Chinese, a space between it and Latin letters or digits."""
    for message in messages("zh-hans", domain):
        for said, shown in texts(message):
            assert CHINESE.search(shown) or SAME_IN_BOTH.fullmatch(shown), said
            assert not HALF_WIDTH.search(shown), shown
            assert not WITHOUT_SPACE.search(PLACES.sub("{}", shown)), shown


@pytest.mark.parametrize(("language", "domain"), ALL)
def test_no_sentence_is_the_translation_of_two(language: str, domain: str):
    """A word may be; a sentence that stands twice was pasted to the wrong text."""
    shown_for = defaultdict(set)
    for message in messages(language, domain):
        for said, shown in texts(message):
            shown_for[shown].add(said)
    assert {shown: said for shown, said in shown_for.items() if len(shown) > LONGEST_TERM and len(said) > 1} == {}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_what_is_stored_or_sent_is_not_translated_before(path: Path):
    """Only who speaks to one reader at once, a command or a page, may: all others do not know theirs."""
    names = set(imported_names(path).values())
    translates = {name for name in names if name.rpartition(".")[2] in ("gettext", "ngettext", "pgettext")}
    writes = {"rooms.bodies", "rooms.new_event", "turns.settlement"} & modules_imported_by(path)
    assert not translates or (name_of(path).startswith("groupx.") and not writes), sorted(translates)


def test_a_changed_text_asks_for_a_new_look():
    catalogue = Catalog(locale="zh_Hans")
    catalogue.add("The turn was cancelled.", "回合已取消。")
    template = Catalog(fuzzy=False)
    template.add("This turn was cancelled.")
    catalogue.update(template)
    [changed] = [message for message in catalogue if message.id]
    assert changed.fuzzy and not is_translated(changed)

"""Whatever is typed, a search answers; whatever is kept is found by each of its parts (docs/memory.md, "Search")."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from groupx.kernel.config import Limits
from groupx.kernel.text import is_blank, is_storable
from memory.actions.index_transcript import index_transcript
from memory.queries.records import search_memory
from memory.queries.search import search_room
from memory.requests import MemoryQuery, SearchQuery
from tests import given as history

HOSTILE = [
    '"',
    '""',
    "'",
    "*",
    "^",
    ":",
    "-",
    "NEAR(",
    "AND",
    "a OR b",
    "{x}",
    "col:x",
    "%",
    "_",
    "\\",
    "--",
    "\x1a",
    "\ufffe",
]
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60)
queries = texts | st.lists(st.sampled_from(HOSTILE) | texts, min_size=1, max_size=4).map(" ".join)
MANY = Limits(queue_per_agent=10_000)
in_one_room = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
something = texts.filter(lambda text: text.strip() != "" and any(not c.isspace() for c in text))


@in_one_room
@given(queries)
def test_no_query_is_an_error(room, clock, q: str):
    assert is_storable(q)
    search_memory(MemoryQuery(q=q))
    if not is_blank(q):
        search_room(SearchQuery(q=q))


@in_one_room
@given(something, st.data())
@example("ΣΑΣ ας", None)
@example("ﬀß İı", None)
def test_what_is_kept_and_said_is_found_by_each_of_its_parts(room, clock, text: str, data: st.DataObject | None):
    start = data.draw(st.integers(0, len(text) - 1)) if data else 0
    part = text[start : start + (data.draw(st.integers(1, len(text) - start)) if data else len(text))]
    try:
        memory_id = history.remembered(text, clock=clock)
    except ValueError:  # what counts as blank at the border
        return
    for spelt in (part, part.casefold()) if part.isascii() else (part,):
        asked, ids, cursor = {"q": spelt, "limit": 500}, set(), None
        while cursor is not None or not ids:
            page = search_memory(MemoryQuery.model_validate({**asked, "cursor": cursor}))
            ids |= {item["memoryId"] for item in page["items"]}
            if (cursor := page.get("nextCursor")) is None:
                break
        assert memory_id in ids
    if is_blank(part):
        return
    history.sent(history.a_message("builder", content=text), clock=clock, limits=MANY)
    assert any(h["kind"] == "message" for h in search_room(SearchQuery(q=part, kinds="message"))["items"])
    while index_transcript(0) is not None:
        pass
    assert any(h["kind"] == "message" for h in search_room(SearchQuery(q=part, kinds="message"))["items"])


@pytest.mark.parametrize("q", ["a\0b", "\0"])
def test_nul_is_refused_before_a_search(room, client, q: str):
    for address in ("/api/memory", "/api/identity", "/api/search"):
        answer = client.get(address, {"q": q})
        assert answer.status_code == 400 and answer.json()["error"]["details"]["issues"][0]["path"] == "q"

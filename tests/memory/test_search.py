"""What a search finds, in which order and on which page (our contract: docs/memory.md, "Search")."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.actions.index_transcript import index_transcript
from memory.full_text import MOST_BEGUN
from memory.queries.records import PageSize, search_identity, search_memory
from memory.queries.search import search_room
from memory.requests import IdentityQuery, MemoryQuery, SearchQuery
from tests import given
from tests.given import remembered


def found(**asked) -> list[str]:
    return [memory["content"] for memory in search_memory(MemoryQuery.model_validate(asked))["items"]]


def said(q: str, **asked) -> list[str]:
    return [hit["excerpt"] for hit in search_room(SearchQuery.model_validate({"q": q, **asked}))["items"]]


def index_all() -> None:
    after: int | None = 0
    while after is not None:
        after = index_transcript(after)


@pytest.mark.parametrize("is_indexed", [False, True])
@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("failing", ["the failing test", "a test is FAILING"]),
        ("fail", ["the failing test", "a test is FAILING"]),
        ("test failing", ["the failing test", "a test is FAILING"]),
        ("数据库", ["数据库的迁移失败了"]),
        ("迁移", ["数据库的迁移失败了"]),
        ("库", ["数据库的迁移失败了"]),
        ("了", ["数据库的迁移失败了"]),
        ("库 失败", ["数据库的迁移失败了"]),
        ("库 失败 qx", []),
        ("a failing", ["the failing test", "a test is FAILING"]),
        ("qx failing", []),
        ("Y)", ['say "quoted" AND (x* OR y)']),
        ("한국어", ["한국어 텍스트"]),
        ("ÉCOLE", ["l'école est finie"]),
        ("é", ["l'école est finie"]),
        ("É", ["l'école est finie"]),
        ('"quoted" AND (x* OR', ['say "quoted" AND (x* OR y)']),
        ("100%", ["100% of_it"]),
        ("_", ["100% of_it"]),
        ("f_i", ["100% of_it"]),
        ("f-i", []),
        ("nothing", []),
    ],
)
def test_words_are_found_in_any_place_of_any_language(q, expected, is_indexed, room, clock):
    texts = ["a test is FAILING", "the failing test", "数据库的迁移失败了", "한국어 텍스트", "l'école est finie",
             'say "quoted" AND (x* OR y)', "100% of_it"]  # fmt: skip
    for text in texts:
        given.queued_turn("builder", clock=clock, content=text)
        remembered(text, clock=clock)
    if is_indexed:
        index_all()
    assert said(q, kinds="message") == expected
    assert sorted(found(q=q)) == sorted(expected)


def test_a_short_word_that_begins_many_trigrams_is_found_too(room, clock):
    many = " ".join(f"x{chr(0x4E00 + n)}{n}" for n in range(MOST_BEGUN + 1))
    given.queued_turn("builder", clock=clock, content=many)
    given.queued_turn("builder", clock=clock, content="an x alone")
    index_all()
    assert [excerpt[:4] for excerpt in said("x")] == ["an x", many[:4]]


@pytest.mark.parametrize("q", ["x", "xy", "獾", "needle xy"])
def test_no_text_is_read_through_for_a_word_that_is_in_no_message(q, room, clock):
    given.queued_turn("builder", clock=clock, content="a needle")
    index_all()
    with CaptureQueriesContext(connection) as asked:
        assert said(q, kinds="message") == []
    through = [query["sql"] for query in asked if "LIKE" in query["sql"] and '"id" >' not in query["sql"]]
    assert connection.vendor != "sqlite" or through == []


def test_a_transcript_that_is_half_indexed_is_found_whole_and_newest_first(room, clock):
    for n in range(3):
        given.queued_turn("builder", clock=clock, content=f"old needle {n}")
    index_all()
    for n in range(3):
        given.queued_turn("reviewer", clock=clock, content=f"new needle {n}")
    assert said("needle") == [f"new needle {n}" for n in (2, 1, 0)] + [f"old needle {n}" for n in (2, 1, 0)]


def test_reasoning_tools_and_ends_of_turns_are_not_searched(room, clock):
    given.completed_turn("builder", clock=clock, text="the answer")
    assert said("answer") == ["the answer"]
    assert said("turn_") == [] and said("agent:builder") == []


def test_a_hit_says_where_to_go_to_and_shows_the_words(room, clock):
    text = "start " + "x " * 400 + "the needle is here " + "y " * 400
    sent = given.sent(given.a_message("builder", content=text), clock=clock).result
    [hit] = search_room(SearchQuery(q="NEEDLE"))["items"]
    assert (hit["kind"], hit["seq"], hit["eventId"]) == ("message", 1, sent["messageEventId"])
    assert (hit["authorActorId"], hit["correlationId"]) == ("user:web", sent["correlationId"])
    assert "the needle is here" in hit["excerpt"]
    assert hit["excerpt"].startswith("…") and hit["excerpt"].endswith("…") and len(hit["excerpt"]) < 300


def test_all_kinds_are_searched_newest_first_or_those_that_are_asked_for(room, clock):
    remembered("needle in memory", clock=clock)
    given.queued_turn("builder", clock=clock, content="needle in a message")
    given.identified("agent:builder", "needle in identity", clock=clock)
    everything = ["needle in identity", "needle in a message", "needle in memory"]
    assert said("needle") == everything
    assert said("needle", kinds="memory,identity") == [everything[0], everything[2]]


def test_pages_of_a_search_hold_each_hit_once(room, clock):
    for n in range(7):
        given.queued_turn("builder", clock=clock, content=f"needle {n}")
        remembered(f"needle {n} kept", clock=clock)
    hits, cursor = [], None
    while True:
        page = search_room(SearchQuery(q="needle", limit=4, cursor=cursor))
        hits += [hit["seq"] for hit in page["items"]]
        given.queued_turn("reviewer", clock=clock, content="a newer needle")  # changes no later page
        if (cursor := page.get("nextCursor")) is None:
            break
    assert len(hits) == 14 and hits == sorted(set(hits), reverse=True)


def test_what_is_superseded_or_retracted_is_found_only_when_asked_for(room, clock):
    old = remembered("needle one", clock=clock)
    given.superseded(old, "needle two", clock=clock)
    given.retracted(remembered("needle three", clock=clock), clock=clock)
    assert found(q="needle") == ["needle two"]
    assert found(status="superseded") == ["needle one"]
    assert found(status="retracted", q="needle") == ["needle three"]
    assert found(status="any") == ["needle three", "needle two", "needle one"]
    assert said("needle") == ["needle two"]


def test_memory_is_filtered_by_scope_kind_author_and_subject(room, clock):
    caller = given.an_agent_that_calls("reviewer", clock=clock)
    remembered("of the room", clock=clock, kind="decision")
    given.core_memory("builder", "of builder", clock=clock)
    remembered("by reviewer", clock=clock, caller=caller, subjectActorId="agent:builder")
    assert found(scopeType="room", kind="decision") == ["of the room"]
    assert found(scopeType="agent", scopeId="agent:builder", agentMemoryType="core") == ["of builder"]
    assert found(authorActorId="agent:reviewer") == ["by reviewer"]
    assert found(subjectActorId="agent:builder", q="by") == ["by reviewer"]


def test_identity_is_searched_as_memory_is(room, clock):
    given.identified("agent:builder", "likes small steps", clock=clock)
    given.identified("agent:reviewer", "likes proofs", clock=clock, kind="preference")
    items = search_identity(IdentityQuery.model_validate({"q": "likes", "subjectActorId": "agent:builder"}))["items"]
    assert [item["content"] for item in items] == ["likes small steps"]
    assert [i["content"] for i in search_identity(IdentityQuery(kind="preference"))["items"]] == ["likes proofs"]


def test_with_words_the_best_comes_first_and_without_them_the_newest(room, clock):
    remembered("needle needle needle", clock=clock)
    remembered("a needle somewhere in a much longer text about many other things, " * 3, clock=clock)
    assert found(q="needle")[0] == "needle needle needle"
    assert found()[1] == "needle needle needle"


@pytest.mark.parametrize("q", [None, "n", "needle"])
def test_pages_of_memory_hold_each_record_once(q, room, clock):
    kept = {f"needle {n} " + "x" * n for n in range(9)}
    for text in sorted(kept):
        remembered(text, clock=clock)
    items, cursor = [], None
    while True:
        page = search_memory(MemoryQuery(q=q, limit=4, cursor=cursor))
        items += [item["content"] for item in page["items"]]
        if (cursor := page.get("nextCursor")) is None:
            break
    assert len(items) == 9 and set(items) == kept


def test_a_page_of_long_records_ends_early_and_goes_on(room, clock):
    size = PageSize(chars=2_500)
    for n in range(5):
        remembered(f"{n} " + "x" * 1_000, clock=clock)
    page = search_memory(MemoryQuery(), size)
    assert len(page["items"]) == 2
    assert len(search_memory(MemoryQuery(cursor=page["nextCursor"]), size)["items"]) == 2


@pytest.mark.parametrize("cursor", ["b7", "0", "-1", "1.5", "9" * 20])
def test_a_cursor_that_is_none_is_refused(cursor, room, client):
    for address in ("/api/memory", "/api/identity", "/api/search"):
        answer = client.get(address, {"q": "x", "cursor": cursor})
        assert answer.status_code == 400
        assert answer.json()["error"]["details"]["issues"][0]["path"] == "cursor"

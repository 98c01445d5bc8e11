"""What a page reads of memory: lists one after the other, page by page, the newest reading counts. Our own contract."""

from typing import Any

from .node import needs_node, run_in_node

pytestmark = needs_node


def came_of(lists: dict[str, list[str]], *steps: list[Any]) -> list[Any]:
    return run_in_node("records.mjs", "record_pages.js", {"lists": lists, "steps": list(steps)})


def named(word: str, count: int) -> list[str]:
    return [f"{word}{number}" for number in range(count)]


def test_one_list_follows_the_other_page_by_page() -> None:
    lists = {"standing": named("s", 3), "others": named("o", 30)}
    first, second = came_of(lists, ["again"], ["settle"], ["show"], ["more"], ["settle"], ["show"])
    assert first == {"ids": [*named("s", 3), *named("o", 17)], "hasMore": True}
    assert second == {"ids": [*named("s", 3), *named("o", 30)], "hasMore": False}


def test_before_anything_was_read_there_is_no_more_to_show() -> None:
    assert came_of({"standing": [], "others": []}, ["show"]) == [{"ids": [], "hasMore": False}]


def test_a_list_that_changed_is_read_again_as_far_as_it_was_shown() -> None:
    lists = {"standing": [], "others": named("o", 30)}
    changed = {"others": ["new", *named("o", 30)]}
    steps = (["again"], ["settle"], ["more"], ["settle"], ["change", changed], ["again"], ["settle"], ["show"])
    [shown] = came_of(lists, *steps)
    assert shown == {"ids": ["new", *named("o", 29)], "hasMore": True}


def test_what_moved_onto_the_next_page_stands_there_once() -> None:
    lists = {"standing": [], "others": named("o", 25)}
    moved = {"others": ["new", *named("o", 25)]}
    [shown] = came_of(lists, ["again"], ["settle"], ["change", moved], ["more"], ["settle"], ["show"])
    assert shown["ids"] == named("o", 25)


def test_an_older_answer_never_takes_the_place_of_a_newer_one() -> None:
    lists = {"standing": ["old"], "others": []}
    steps = (["again"], ["change", {"standing": ["new"]}], ["again"], ["answer", 1], ["settle"], ["show"])
    [shown] = came_of(lists, *steps)
    assert shown["ids"] == ["new"]


def test_a_reading_that_failed_says_so_only_where_no_newer_one_goes_on() -> None:
    lists = {"standing": ["one"], "others": []}
    steps = (["again"], ["again"], ["fail"], ["settle"], ["show"], ["again"], ["fail"])
    shown, failed = came_of(lists, *steps)
    assert (shown["ids"], failed) == (["one"], "standing failed")


def test_other_words_begin_anew() -> None:
    lists = {"standing": [], "others": named("o", 30), "found": ["f0"]}
    [shown] = came_of(lists, ["again"], ["settle"], ["other", {"name": "found"}], ["settle"], ["show"])
    assert shown == {"ids": ["f0"], "hasMore": False}

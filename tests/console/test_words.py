"""static/js/words.js: how products and times are said to a person. Our own contract of the page."""

import pytest

from .node import needs_node, run_in_node

pytestmark = needs_node


@pytest.mark.parametrize(
    ("driver", "product", "name", "shown"),
    [
        ("acp", "OpenCode", "Builder", "OpenCode"),  # an open driver says nothing about who speaks it
        ("acp", "", "Builder", ""),
        ("codex", "", "Builder", "codex"),
        ("codex", "", "Codex", ""),  # its name says it already
        ("acp", "Builder", "builder", ""),
    ],
)
def test_an_agent_is_named_by_its_product_and_never_by_a_protocol(
    driver: str, product: str, name: str, shown: str
) -> None:
    assert run_in_node("words.mjs", "words.js", [["productWords", driver, product, name]]) == [shown]


@pytest.mark.parametrize(
    ("ms", "is_thinking", "shown"),
    [
        (12_300, True, "Thinking for 12 s"),
        (12_300, False, "Thought for 12 s"),
        (1_250, False, "Thought for 1.3 s"),
        (60_000 + 5_400, False, "Thought for 1 min 5 s"),
        (499, True, "Thinking…"),
        (0, False, "Thoughts"),
        (None, False, "Thoughts"),
        (None, True, "Thinking…"),
    ],
)
def test_thinking_has_a_duration_where_it_is_known(ms: int | None, is_thinking: bool, shown: str) -> None:
    assert run_in_node("words.mjs", "words.js", [["thoughtWords", ms, is_thinking]]) == [shown]


@pytest.mark.parametrize(
    ("zone", "last", "first"),
    [
        ("Asia/Shanghai", "2026-11-30T15:59:59Z", "2026-11-30T16:00:00Z"),
        ("Europe/Berlin", "2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z"),  # the night the clocks go forward
        ("Europe/Berlin", "2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z"),  # and the end of that shorter day
        ("Europe/Berlin", "2026-10-24T21:59:59Z", "2026-10-24T22:00:00Z"),  # the night they go back
        ("Europe/Berlin", "2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z"),  # and the end of that longer day
        ("Europe/Berlin", "2026-12-31T22:59:59Z", "2026-12-31T23:00:00Z"),
    ],
)
def test_a_day_ends_at_the_readers_midnight(zone: str, last: str, first: str) -> None:
    before, after = run_in_node("words.mjs", "words.js", [["dayKey", last], ["dayKey", first]], zone=zone)
    assert before != after


@pytest.mark.parametrize(
    ("zone", "begin", "end"),
    [
        ("Asia/Shanghai", "2026-11-29T16:00:00Z", "2026-11-30T15:59:59Z"),
        ("Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59Z"),  # 23 hours
        ("Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59Z"),  # 25 hours
    ],
)
def test_a_day_with_a_change_of_the_clocks_is_one_day(zone: str, begin: str, end: str) -> None:
    first, last = run_in_node("words.mjs", "words.js", [["dayKey", begin], ["dayKey", end]], zone=zone)
    assert first == last


NOW_MS = 1_796_032_800_000  # 2026-11-30T10:00:00Z


@pytest.mark.parametrize(
    ("until", "shown"),
    [
        ("2026-11-30T11:00:00Z", "in 1 h 0 min."),
        ("2026-11-30T12:29:01Z", "in 2 h 30 min."),
        ("2026-11-30T10:12:00Z", "in 12 min."),
        ("2026-11-30T10:00:30Z", "in less than a minute."),
        ("2026-11-30T10:00:00Z", "any moment now."),
        ("2026-11-30T09:00:00Z", "any moment now."),
    ],
)
def test_a_pause_counts_down_in_words(until: str, shown: str) -> None:
    [words] = run_in_node("words.mjs", "words.js", [["untilWords", until, NOW_MS]])
    assert words.startswith("Until ") and words.endswith(shown)


@pytest.mark.parametrize(
    ("usd", "shown"), [(0, "$0.00"), (0.0125, "$0.0125"), (0.00001, "$0.00001"), (3.2, "$3.20"), (1234.5, "$1,234.50")]
)
def test_money_has_as_many_digits_as_say_something(usd: float, shown: str) -> None:
    assert run_in_node("words.mjs", "words.js", [["moneyWords", usd]]) == [shown]

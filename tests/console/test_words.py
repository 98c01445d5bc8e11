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

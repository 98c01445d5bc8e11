"""Text that says something, and text that every store can keep."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.kernel.text import is_blank, is_storable, storable


@pytest.mark.parametrize(
    "text", ["", " \t\r\n", "\u3000\x85", "\u200b\u200d\u2060", "\ufeff", "\xad \u200e", "\u3164\u115f"]
)
def test_what_nobody_sees_is_blank(text: str):
    assert is_blank(text)


@pytest.mark.parametrize("text", [".", " \u200b0", "语", "\u0301", "❤\ufe0f", "👩\u200d💻"])
def test_what_can_be_seen_is_not_blank_whatever_stands_beside_it(text: str):
    assert not is_blank(text)


def test_only_what_no_store_keeps_is_replaced():
    assert storable("a\0b\ud800c\r\u2028\ufeff😀") == "a�b�c\r\u2028\ufeff😀"


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_whatever_an_agent_says_becomes_storable_with_its_length_kept(text):
    assert is_storable(storable(text))
    assert len(storable(text)) == len(text)


@given(st.text())
def test_storable_text_is_not_changed(text):
    if is_storable(text):
        assert storable(text) == text

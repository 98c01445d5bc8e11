"""Text that every store can keep."""

from hypothesis import given
from hypothesis import strategies as st

from groupx.kernel.text import is_storable, storable


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

"""Long text is cut where a page need not show it, and says so (docs/protocol.md, "Long text"). Pure."""

import pytest

from rooms.envelope import SHOWN_CHARS, dump, shorten_body


@pytest.mark.parametrize("name", ["content", "partialText"])
def test_long_text_is_cut_and_says_how_long_it_is(name):
    short = shorten_body({"turnId": "t", name: "x" * (SHOWN_CHARS + 1)})

    assert (len(short[name]), short["truncated"], short["fullLength"]) == (SHOWN_CHARS, True, SHOWN_CHARS + 1)


def test_what_fits_is_not_touched():
    body = {"content": "x" * SHOWN_CHARS}

    assert shorten_body(body) is body


def test_of_long_tool_details_the_short_values_stay_and_the_long_ones_are_cut():
    details = {"title": "Read", "kind": "read", "output": "x" * 600_000, "diff": [{"newText": "y" * 300_000}]}

    short = shorten_body({"toolCallId": "1", "details": details})

    assert (short["details"]["title"], short["details"]["kind"]) == ("Read", "read")
    assert short["details"]["output"].startswith("xxx") and short["details"]["diff"].startswith('[{"newText":"yyy')
    assert len(dump(short["details"])) <= SHOWN_CHARS
    assert short["truncated"] and short["fullLength"] == len(dump(details))

"""Text in pieces: nothing is lost or changed but what no store keeps (adapters/contract/, Session.prompt)."""

import pytest

from adapters.text_stream import TextStream


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["hel", "lo"], "hello"),
        (["", "a", ""], "a"),
        (["a\0b"], "a\ufffdb"),
        (["\ud83d", "\ude00"], "😀"),
        (["x\ud83d", "\ude00y"], "x😀y"),
        (["\ud83d", "", "\ude00"], "😀"),
        (["\ud83d", "x"], "\ufffdx"),
        (["\ude00x"], "\ufffdx"),
        (["x\ud83d"], "x\ufffd"),
        (["\ud83d\ud83d", "\ude00"], "\ufffd😀"),
    ],
)
def test_pieces_give_the_text_that_was_meant(pieces: list[str], text: str):
    stream = TextStream()
    shown = "".join(stream.feed(piece) for piece in pieces) + stream.flush()
    assert shown == stream.text == text

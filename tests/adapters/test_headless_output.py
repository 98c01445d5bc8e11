"""Reading what CLIs print when they run once (docs/aig.md, "Channels")."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.headless import codex, gemini, kimi, opencode
from adapters.headless.contract import Answer, NativeError
from adapters.headless.output import cleaned, json_objects, plain
from adapters.headless.results import read_result

JSON = st.dictionaries(st.text(max_size=8), st.one_of(st.none(), st.text(max_size=20), st.integers()), max_size=4)


def lines(*events: object) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


@given(st.lists(JSON, max_size=6), st.sampled_from([None, 2]), st.sampled_from(["", "> banner\n", "warning: {odd\n"]))
def test_objects_are_found_on_lines_in_arrays_and_printed_over_many(objects, indent, noise):
    on_lines = noise.join(json.dumps(item, indent=indent) + "\n" for item in objects)
    assert json_objects(noise + on_lines + noise) == objects
    assert json_objects(noise + json.dumps(objects, indent=indent)) == objects


@given(st.text(max_size=300))
@pytest.mark.parametrize("read", [read_result, codex.read, gemini.read, kimi.read, opencode.read])
def test_no_output_breaks_a_reader(read, text):
    for candidate in (text, "{" + text, json.dumps({"type": text, "role": text, "response": text})):
        try:
            answer = read(candidate)
        except NativeError:
            continue
        assert answer is None or isinstance(answer.text, str)


@given(JSON)
@pytest.mark.parametrize("kind", ["result", "text", "step_finish", "error", "turn.failed", "item.completed"])
def test_fields_of_another_kind_break_no_reader(kind, fields):
    for read in (read_result, codex.read, gemini.read, kimi.read, opencode.read):
        for event in ({**fields, "type": kind}, {"type": kind, "part": fields, "item": fields, "error": fields}):
            try:
                read(lines(event, {"role": "assistant", **fields}))
            except NativeError as error:
                assert str(error)


def test_an_error_of_claude_without_a_result_has_its_reason():
    with pytest.raises(NativeError, match="error_max_turns"):
        read_result(lines({"type": "result", "subtype": "error_max_turns", "is_error": True}))
    with pytest.raises(NativeError, match="Credit balance"):
        read_result(
            lines({"type": "result", "subtype": "success", "is_error": True, "result": "Credit balance is low"})
        )


def test_the_error_that_codex_hands_on_as_json_is_told_in_words():
    with pytest.raises(NativeError, match=r"^model is gone$"):
        codex.read(lines({"type": "turn.failed", "error": {"message": '{"error": {"message": "model is gone"}}'}}))


def test_an_error_that_codex_got_over_is_none():
    said = {"type": "item.completed", "item": {"type": "agent_message", "text": "Fine."}}
    assert codex.read(lines({"type": "error", "message": "reconnecting"}, said)) == Answer(text="Fine.")
    with pytest.raises(NativeError, match="reconnecting"):
        codex.read(lines({"type": "error", "message": "reconnecting"}))


def test_text_of_opencode_is_joined_and_parted_where_it_worked_in_between():
    def text(words: str) -> dict[str, object]:
        return {"type": "text", "part": {"type": "text", "text": words}}

    assert opencode.read(lines(text("one "), text("two"))) == Answer(text="one two")
    told = opencode.read(lines(text("I look."), {"type": "tool_use"}, {"type": "step_finish"}, text("Done.")))
    assert told is not None and told.text == "I look.\n\nDone."


@pytest.mark.parametrize(
    ("text", "shown", "shown_cleaned"),
    [
        ("\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x1b\\", "red link", "red link"),
        ("\n\n  indented\n\n", "  indented", "  indented"),
        ("> build · model\n\nwords\n> quote", "> build · model\n\nwords\n> quote", "words\n> quote"),
        ("line\r\nline\r\n", "line\nline", "line\nline"),
        ("> only a banner", "> only a banner", ""),
        ("", "", ""),
    ],
)
def test_plain_text_loses_what_a_terminal_obeys_and_cleaned_text_its_banner(text, shown, shown_cleaned):
    assert (plain(text), cleaned(text)) == (shown, shown_cleaned)

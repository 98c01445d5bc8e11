"""Lines between us and a real child process: long, broken, noisy (docs/drivers.md, "What every driver survives")."""

from pathlib import Path

import pytest

from adapters.contract import Completed
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.dialects import Dialect
from tests.adapters.scripted import (
    MIB,
    diagnostics,
    do,
    failed,
    log_of,
    play,
    prompts,
    raw64,
    streamed,
)


@pytest.mark.parametrize("size", [65_536, 70_000, 1 * MIB, 15 * MIB])
async def test_a_long_line_from_the_agent_arrives_whole(open_any: Open, size: int):
    events = await play(await open_any(), do({"big": size}))
    assert len(streamed(events)) == size
    assert events[-1] == Completed(streamed(events))


async def test_a_line_of_exactly_16_mib_passes_in_either_direction(open_any: Open, dialect: Dialect, cwd: Path):
    session = await open_any()
    events = await play(session, do({"line_bytes": 16 * MIB}))
    assert isinstance(events[-1], Completed) and len(events[-1].text) > 15 * MIB

    steps = do({"text": "read it"}, n="2")
    wrapping = dialect.prompt_line(session.info.native_session_id, steps)
    assert (await play(session, "x" * (16 * MIB - len(wrapping)) + steps))[-1] == Completed("read it")
    assert (await play(session, "x" * (16 * MIB - len(wrapping) + 1) + steps)) != []
    assert prompts(cwd) == ["1", "2"], "one byte more was not sent"


async def test_a_line_one_byte_over_16_mib_breaks_the_session(open_any: Open):
    events = await play(await open_any(), do({"line_bytes": 16 * MIB + 1}, {"wait": ""}))
    assert failed(events).code is ErrorCode.PROTOCOL_INVALID_MESSAGE


async def test_a_line_over_16_mib_breaks_the_session(open_any: Open):
    session = await open_any()
    events = await play(session, do({"text": "before "}, {"big": 17 * MIB}, {"wait": ""}))
    assert failed(events).code is ErrorCode.PROTOCOL_INVALID_MESSAGE
    assert streamed(events) == "before "
    assert not session.usable


async def test_a_prompt_of_megabytes_arrives_whole(open_any: Open, cwd: Path):
    text = "你" * (4 * MIB) + do({"text": "read it"})
    assert (await play(await open_any(), text))[-1] == Completed("read it")
    assert [entry["chars"] for entry in log_of(cwd) if entry["ev"] == "prompt"] == [len(text)]


async def test_a_prompt_over_the_line_limit_is_refused_before_anything_is_sent(open_any: Open, cwd: Path):
    session = await open_any()
    assert failed(await play(session, "x" * (17 * MIB))).code is ErrorCode.MESSAGE_TOO_LARGE
    assert prompts(cwd) == []
    assert session.usable
    assert (await play(session, do({"text": "hi"})))[-1] == Completed("hi")


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\r"])
async def test_what_is_no_line_feed_ends_no_line(open_any: Open, dialect: Dialect, separator: str):
    text = f"one{separator}two"
    # JSON has no bare control characters
    escaped = f"\\u{ord(separator):04x}" if separator in "\x0b\r" else separator
    events = await play(await open_any(), do(raw64(dialect.line(f"one{escaped}two") + b"\r\n")))
    assert events[-1] == Completed(text)


async def test_a_separator_in_the_prompt_reaches_the_agent_on_one_line(open_any: Open, cwd: Path):
    await play(await open_any(), "a\u2028b\u2029c\x85d " + do({"text": "hi"}))
    assert prompts(cwd) == ["1"]


async def test_a_byte_order_mark_before_a_frame_is_skipped(open_any: Open, dialect: Dialect):
    assert (await play(await open_any(), do(raw64(b"\xef\xbb\xbf" + dialect.line("hi") + b"\n"))))[-1] == Completed(
        "hi"
    )


async def test_invalid_utf8_is_replaced_and_counted(open_any: Open, dialect: Dialect):
    broken = dialect.line("x?y").replace(b"?", b"\xff") + b"\n"
    events = await play(await open_any(), do(raw64(broken)))
    assert events[-1] == Completed("x\ufffdy")
    assert diagnostics(events)["invalid_utf8"] == 1


async def test_a_frame_cut_into_pieces_is_one_frame(open_any: Open, dialect: Dialect):
    frame = dialect.line("whole") + b"\n"
    pieces = [raw64(frame[i : i + 7]) for i in range(0, len(frame), 7)]
    assert (await play(await open_any(), do(*pieces)))[-1] == Completed("whole")


async def test_the_last_frame_needs_no_line_feed_at_the_end(open_any: Open, dialect: Dialect):
    events = await play(await open_any(), do(raw64(dialect.line("last words")), {"exit": 0}))
    assert streamed(events) == "last words"
    assert failed(events).code is ErrorCode.NATIVE_EXITED


@pytest.mark.parametrize(
    "noise", ["Welcome!", "\x1b[32mok\x1b[0m", '"text"', "[1]", "12", "null", "", '{"level":"info"}']
)
async def test_noise_between_frames_is_skipped_and_counted(open_any: Open, noise: str):
    events = await play(await open_any(), do({"text": "a"}, {"raw": noise}, {"text": "b"}))
    assert events[-1] == Completed("ab")
    assert diagnostics(events) == {"noise": 1}


async def test_an_answer_on_the_last_line_needs_no_line_feed_either(open_any: Open, dialect: Dialect):
    events = await play(await open_any(), do({"text": "done"}, raw64(dialect.end), {"exit": 0}))
    assert events[-1] == Completed("done")


async def test_two_hundred_lines_of_noise_are_survived(open_any: Open):
    events = await play(await open_any(), do({"noise": 200}, {"text": "hi"}, {"noise": 200}))
    assert events[-1] == Completed("hi")
    assert diagnostics(events) == {"noise": 400}


async def test_a_flood_of_noise_breaks_the_session(open_any: Open):
    session = await open_any()
    events = await play(session, do({"text": "hi"}, {"noise": 201}, {"wait": ""}))
    assert failed(events).code is ErrorCode.PROTOCOL_INVALID_MESSAGE
    assert failed(events).session_lost and not session.usable


async def test_log_lines_in_json_count_as_noise_in_the_same_row(open_any: Open):
    mixed = [{"noise": 1}, {"raw": '{"level":"info"}'}] * 101
    assert failed(await play(await open_any(), do(*mixed, {"wait": ""}))).code is ErrorCode.PROTOCOL_INVALID_MESSAGE


async def test_a_message_ends_a_row_of_noise(open_any: Open, dialect: Dialect):
    o, k = (raw64(dialect.line(letter) + b"\n") for letter in "ok")
    steps = ({"noise": 150}, o, {"noise": 150}, k)
    assert (await play(await open_any(), do(*steps)))[-1] == Completed("ok")

"""One test per line of docs/drivers.md, "What every driver survives", with a real child process that misbehaves.

Whatever the agent does, a prompt ends once, within 2 s of the cause, with the text that had arrived, and is
never sent a second time.
"""

import asyncio
import base64
import json
import os
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest

from adapters.contract import (
    Cancelled,
    Completed,
    Diagnostic,
    Failed,
    Interrupted,
    NativeEvent,
    ReasoningDelta,
    Session,
    SessionLoss,
    Started,
    TextDelta,
    ToolEvent,
    ToolPhase,
    UsageReported,
)
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.scripted import PATIENCE_SECONDS, do, heard, log_of, logged, play, prompts, streamed

MIB = 1024 * 1024


def chunk(text: str, session: str = "$session") -> dict[str, Any]:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    return {"frame": {"method": "session/update", "params": {"sessionId": session, "update": update}}}


def line(text: str) -> bytes:
    """A message chunk as bytes, without the line feed; `text` goes in as it is."""
    head = '{"method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"text":"'
    return (head + text + '"}}}}').encode()


def raw64(data: bytes) -> dict[str, Any]:
    return {"raw64": base64.b64encode(data).decode()}


def failed(events: list[NativeEvent]) -> Failed:
    last = events[-1]
    assert isinstance(last, Failed)
    return last


def diagnostics(events: list[NativeEvent]) -> dict[str, int]:
    return {event.kind: event.count for event in events if isinstance(event, Diagnostic)}


class Running:
    """A prompt that is read by a task, so that the test can act in the middle of it."""

    def __init__(self, session: Session, prompt: str) -> None:
        self.events: list[NativeEvent] = []
        self._has_text = asyncio.Event()
        self._task = asyncio.create_task(self._read(session, prompt))

    async def _read(self, session: Session, prompt: str) -> None:
        async for event in session.prompt(prompt):
            self.events.append(event)
            if isinstance(event, TextDelta):
                self._has_text.set()

    async def has_text(self) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self._has_text.wait()

    async def end(self, within_seconds: float = PATIENCE_SECONDS) -> list[NativeEvent]:
        async with asyncio.timeout(within_seconds):
            await self._task
        return self.events


# ---------------------------------------------------------------- lines
@pytest.mark.parametrize("size", [65_536, 70_000, 1 * MIB, 15 * MIB])
async def test_a_long_line_from_the_agent_arrives_whole(open_agent: Open, size: int):
    events = await play(await open_agent(), do({"big": size}))
    assert len(streamed(events)) == size
    assert events[-1] == Completed(streamed(events))


async def test_a_line_over_16_mib_breaks_the_session(open_agent: Open):
    session = await open_agent()
    events = await play(session, do({"text": "before "}, {"big": 17 * MIB}, {"wait": ""}))
    assert failed(events).code is ErrorCode.PROTOCOL_INVALID_MESSAGE
    assert streamed(events) == "before "
    assert not session.usable


async def test_a_prompt_of_megabytes_arrives_whole(open_agent: Open, cwd: Path):
    text = "你" * (4 * MIB) + do({"text": "read it"})
    assert (await play(await open_agent(), text))[-1] == Completed("read it")
    assert [entry["chars"] for entry in log_of(cwd) if entry["ev"] == "prompt"] == [len(text)]


async def test_a_prompt_over_the_line_limit_is_refused_before_anything_is_sent(open_agent: Open, cwd: Path):
    session = await open_agent()
    assert failed(await play(session, "x" * (17 * MIB))).code is ErrorCode.MESSAGE_TOO_LARGE
    assert prompts(cwd) == []
    assert session.usable
    assert (await play(session, do({"text": "hi"})))[-1] == Completed("hi")


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\r"])
async def test_what_is_no_line_feed_ends_no_line(open_agent: Open, separator: str):
    text = f"one{separator}two"
    # JSON has no bare control characters
    escaped = f"\\u{ord(separator):04x}" if separator in "\x0b\r" else separator
    events = await play(await open_agent(), do(raw64(line(f"one{escaped}two") + b"\r\n")))
    assert events[-1] == Completed(text)


async def test_a_separator_in_the_prompt_reaches_the_agent_on_one_line(open_agent: Open, cwd: Path):
    await play(await open_agent(), "a\u2028b\u2029c\x85d " + do({"text": "hi"}))
    assert prompts(cwd) == ["1"]


async def test_a_byte_order_mark_before_a_frame_is_skipped(open_agent: Open):
    assert (await play(await open_agent(), do(raw64(b"\xef\xbb\xbf" + line("hi") + b"\n"))))[-1] == Completed("hi")


async def test_invalid_utf8_is_replaced_and_counted(open_agent: Open):
    broken = line("x?y").replace(b"?", b"\xff") + b"\n"
    events = await play(await open_agent(), do(raw64(broken)))
    assert events[-1] == Completed("x\ufffdy")
    assert diagnostics(events)["invalid_utf8"] == 1


async def test_a_frame_cut_into_pieces_is_one_frame(open_agent: Open):
    frame = line("whole") + b"\n"
    pieces = [raw64(frame[i : i + 7]) for i in range(0, len(frame), 7)]
    assert (await play(await open_agent(), do(*pieces)))[-1] == Completed("whole")


async def test_the_last_frame_needs_no_line_feed_at_the_end(open_agent: Open):
    events = await play(await open_agent(), do(raw64(line("last words")), {"exit": 0}))
    assert streamed(events) == "last words"
    assert failed(events).code is ErrorCode.NATIVE_EXITED


@pytest.mark.parametrize(
    "noise", ["Welcome!", "\x1b[32mok\x1b[0m", '"text"', "[1]", "12", "null", "", '{"level":"info"}']
)
async def test_noise_between_frames_is_skipped_and_counted(open_agent: Open, noise: str):
    events = await play(await open_agent(), do({"text": "a"}, {"raw": noise}, {"text": "b"}))
    assert events[-1] == Completed("ab")
    assert diagnostics(events) == {"noise": 1}


async def test_two_hundred_lines_of_noise_are_survived(open_agent: Open):
    events = await play(await open_agent(), do({"noise": 200}, {"text": "hi"}, {"noise": 200}))
    assert events[-1] == Completed("hi")
    assert diagnostics(events) == {"noise": 400}


async def test_a_flood_of_noise_breaks_the_session(open_agent: Open):
    session = await open_agent()
    events = await play(session, do({"text": "hi"}, {"noise": 201}, {"wait": ""}))
    assert failed(events).code is ErrorCode.PROTOCOL_INVALID_MESSAGE
    assert failed(events).session_lost and not session.usable


# ---------------------------------------------------------------- frames that contradict the protocol
@pytest.mark.parametrize(
    "step",
    [
        {"frame": {"id": 987, "result": {}}},
        {"frame": {"id": "no such", "error": {"code": 1, "message": "x"}}},
        {"frame": {"id": {}, "result": {}}},
        {"frame": {"method": 5}},
        {"frame": {"method": "session/update", "params": "text"}},
        {"update": "text"},
        {"update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": 5}}},
        {"update": {"sessionUpdate": "tool_call", "toolCallId": 5}},
        {"frame": {"id": "$id", "result": "a string"}},
        {"frame": {"id": "$id", "result": {"stopReason": 5}}},
    ],
    ids=lambda step: str(step)[:60],
)
async def test_a_frame_that_contradicts_the_protocol_fails_the_turn_once(
    open_agent: Open, cwd: Path, step: dict[str, Any]
):
    session = await open_agent()
    events = await play(session, do({"text": "partial"}, step, {"text": "more"}, {"wait": ""}))
    assert failed(events).code is ErrorCode.PROTOCOL_INVALID_MESSAGE
    assert streamed(events) == "partial"
    assert failed(events).session_lost and not session.usable
    assert prompts(cwd) == ["1"]


async def test_a_second_answer_to_the_same_prompt_breaks_the_session(open_agent: Open):
    session = await open_agent()
    twice = {"frame": {"id": "$id", "result": {"stopReason": "end_turn"}}}
    assert (await play(session, do({"text": "hi"}, twice, twice, {"wait": ""})))[-1] == Completed("hi")
    async with asyncio.timeout(PATIENCE_SECONDS):
        await session.gone()
    assert failed(await play(session, do({"text": "hi"}))).code is ErrorCode.NATIVE_SESSION_LOST


async def test_an_error_about_no_request_is_only_counted(open_agent: Open):
    frame = {"frame": {"id": None, "error": {"code": -32700, "message": "parse error"}}}
    assert (await play(await open_agent(), do(frame, {"text": "hi"})))[-1] == Completed("hi")


# ---------------------------------------------------------------- shapes that are only odd
@pytest.mark.parametrize(
    "update",
    [
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": ""}},
        {"sessionUpdate": "agent_message_chunk", "content": None},
        {"sessionUpdate": "agent_message_chunk"},
        {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": ""}},
        {"sessionUpdate": "invented_yesterday", "x": 1},
        {"sessionUpdate": None},
        {},
        None,
        {"sessionUpdate": "tool_call"},
        {"sessionUpdate": "plan", "entries": None},
        {"sessionUpdate": "usage_update"},
        {"sessionUpdate": "current_mode_update", "currentModeId": "auto"},
    ],
    ids=str,
)
async def test_an_odd_update_does_not_stop_the_turn(open_agent: Open, update: object):
    events = await play(await open_agent(), do({"update": update}, {"text": "hi"}))
    assert events[-1] == Completed("hi")
    assert [event for event in events if isinstance(event, TextDelta)] == [TextDelta("hi")]


async def test_unknown_updates_are_counted(open_agent: Open):
    events = await play(
        await open_agent(), do(*[{"update": {"sessionUpdate": f"new_{i}"}} for i in range(3)], {"text": "hi"})
    )
    assert diagnostics(events) == {"unknown_update": 3}


async def test_a_missing_result_ends_the_turn_as_usual(open_agent: Open):
    events = await play(await open_agent(), do({"text": "hi"}, {"reply": None}))
    assert events[-1] == Completed("hi")


async def test_updates_for_another_session_are_ignored_and_counted(open_agent: Open):
    events = await play(await open_agent(), do(chunk("not ours", "another"), {"text": "ours"}))
    assert events[-1] == Completed("ours")
    assert diagnostics(events) == {"other_session": 1}


async def test_updates_before_the_sessions_answer_belong_to_nobody(open_agent: Open):
    early = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "early"}}
    events = await play(await open_agent({"before_session": [early]}), do({"text": "hi"}))
    assert events[-1] == Completed("hi")
    assert streamed(events) == "hi"


async def test_notifications_of_the_agents_own_are_ignored(open_agent: Open):
    own = {"frame": {"method": "_vendor/status", "params": {"busy": True}}}
    assert (await play(await open_agent(), do(own, {"text": "hi"})))[-1] == Completed("hi")


@pytest.mark.parametrize("method", ["fs/read_text_file", "terminal/create", "craft/drainMidTurnQueue", "_x/y"])
async def test_requests_we_do_not_serve_are_refused_and_the_turn_goes_on(open_agent: Open, cwd: Path, method: str):
    events = await play(await open_agent(), do({"ask": {"method": method}}, {"text": "hi"}))
    assert events[0] == Started()
    assert events[-1] == Completed("hi")
    (answer,) = [entry for entry in log_of(cwd) if entry["ev"] == "answer"]
    assert answer["error"]["code"] == -32601


# ---------------------------------------------------------------- late words
async def test_text_after_the_reply_is_attached_where_the_agent_is_known_for_it(open_agent: Open):
    session = await open_agent(driver="opencode")
    events = await play(session, do({"text": "first "}, {"stop": "end_turn"}, {"text": "last"}))
    assert events[-1] == Completed("first last")


async def test_text_after_the_turn_is_a_diagnostic_of_the_next(open_agent: Open, cwd: Path):
    session = await open_agent()
    steps = ({"text": "hi"}, {"stop": "end_turn"}, {"wait": "go"}, {"text": "late"})
    assert (await play(session, do(*steps)))[-1] == Completed("hi")
    session.heard.clear()
    (cwd / "go").touch()
    async with asyncio.timeout(PATIENCE_SECONDS):
        await session.heard.wait()
    events = await play(session, do({"text": "next"}, n="2"))
    assert events[-1] == Completed("next")
    assert diagnostics(events) == {"late_text": 1}


async def test_usage_alone_does_not_prove_that_the_prompt_arrived(open_agent: Open):
    session = await open_agent()
    update = {"sessionUpdate": "usage_update", "used": 5, "size": 10}
    events = await play(session, do({"update": update}, {"exit": 1}))
    assert [type(event) for event in events] == [Failed]
    assert isinstance(events[0], Failed) and events[0].code is ErrorCode.NATIVE_EXITED


async def test_usage_is_told_once_the_turn_has_begun(open_agent: Open):
    update = {"sessionUpdate": "usage_update", "used": 5, "size": 10}
    events = await play(await open_agent(), do({"update": update}, {"text": "hi"}))
    usage = UsageReported(context_used=5, context_size=10)
    assert events == [Started(), usage, TextDelta("hi"), Completed("hi")]


async def test_a_sessions_cost_is_split_into_its_turns(open_agent: Open):
    def cost(amount: float) -> dict[str, Any]:
        return {"update": {"sessionUpdate": "usage_update", "cost": {"amount": amount, "currency": "USD"}}}

    session = await open_agent()
    costs = []
    for amount in (0.5, 0.75):
        events = await play(session, do({"text": "hi"}, cost(amount)))
        costs += [event.cost_usd for event in events if isinstance(event, UsageReported)]
    assert costs == [0.5, 0.25]


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "1" * 400])
async def test_a_number_that_no_store_keeps_is_dropped_and_the_turn_goes_on(open_agent: Open, number: str):
    def told(update: str) -> dict[str, Any]:
        return {"raw": f'{{"method":"session/update","params":{{"update":{update.replace("#", number)}}}}}'}

    session = await open_agent()
    usage = told('{"sessionUpdate":"usage_update","used":#,"size":#,"cost":{"amount":#,"currency":"USD"}}')
    tool = told('{"sessionUpdate":"tool_call","toolCallId":"c","rawInput":{"a":#,"b":[#]},"rawOutput":#}')
    events = await play(session, do({"text": "hi"}, usage, tool))
    assert events[-1] == Completed("hi")
    assert UsageReported() in events
    for event in events:
        json.dumps(vars(event), allow_nan=False)


# ---------------------------------------------------------------- the end of a process
@pytest.mark.parametrize("code", [0, 1, 7])
async def test_an_exit_ends_the_turn_with_its_code_and_the_text_so_far(open_agent: Open, cwd: Path, code: int):
    session = await open_agent()
    events = await play(session, do({"text": "partial"}, {"stderr": 500}, {"exit": code}))
    assert streamed(events) == "partial"
    assert failed(events).code is ErrorCode.NATIVE_EXITED
    assert f"exit code {code}" in failed(events).message
    assert "eeee" not in failed(events).message and "eeee" in session.last_words
    assert session.exit_code == code and not session.usable
    assert prompts(cwd) == ["1"]


async def test_a_killed_process_ends_the_turn_within_two_seconds(open_agent: Open):
    session = await open_agent()
    running = Running(session, do({"text": "partial"}, {"wait": ""}))
    await running.has_text()
    os.kill(session.info.process.pid, signal.SIGKILL)
    events = await running.end(within_seconds=2)
    assert failed(events).code is ErrorCode.NATIVE_EXITED
    assert session.exit_code == -signal.SIGKILL
    assert streamed(events) == "partial"


async def test_a_death_is_noticed_although_a_grandchild_holds_the_pipes(open_agent: Open):
    session = await open_agent()
    running = Running(session, do({"grandchild": "holds"}, {"text": "partial"}, {"wait": ""}))
    await running.has_text()
    os.kill(session.info.process.pid, signal.SIGKILL)
    assert failed(await running.end(within_seconds=2)).code is ErrorCode.NATIVE_EXITED


async def test_the_end_of_output_alone_ends_the_turn(open_agent: Open):
    session = await open_agent()
    events = await play(session, do({"text": "partial"}, {"close_output": True}))
    assert failed(events).code is ErrorCode.NATIVE_EXITED
    assert session.exit_code is None and not session.usable


async def test_a_death_between_turns_is_told(open_agent: Open):
    session = await open_agent()
    os.kill(session.info.process.pid, signal.SIGKILL)
    async with asyncio.timeout(2):
        await session.gone()
    assert not session.usable
    assert failed(await play(session, do({"text": "hi"}))).code is ErrorCode.NATIVE_SESSION_LOST


async def test_standard_error_is_drained_and_only_its_end_kept(open_agent: Open):
    session = await open_agent()
    assert (await play(session, do({"stderr": 3 * MIB}, {"text": "hi"})))[-1] == Completed("hi")
    assert len(session.last_words) == 2_000


async def test_an_agent_that_stops_reading_does_not_hang_us(open_agent: Open):
    session = await open_agent({"deaf_after_session": True}, request_ms=300)
    events = await play(session, "x" * (4 * MIB))
    assert failed(events).code is ErrorCode.NATIVE_SESSION_LOST
    assert not session.usable


async def test_a_slow_reader_slows_down_the_agent_and_loses_nothing(open_agent: Open):
    session = await open_agent()
    text = "".join(str(number % 10) for number in range(2_000))
    running = session.prompt(do(*[{"text": digit} for digit in text], {"big": 3 * MIB}))
    read = [await anext(running)]
    await logged(Path(psutil.Process(session.info.process.pid).cwd()), "prompt")
    read += [event async for event in running]
    assert streamed(read) == text + ("0123456789" * MIB)[: 3 * MIB]


# ---------------------------------------------------------------- why a session is lost
@pytest.mark.parametrize(
    ("steps", "loss"),
    [
        ([{"exit": 7}], (ErrorCode.NATIVE_EXITED, "The agent's process ended with exit code 7.", 7)),
        ([{"close_output": True}], (ErrorCode.NATIVE_EXITED, "The agent closed its output.", None)),
        (
            [{"frame": {"id": 987, "result": {}}}, {"wait": ""}],
            (ErrorCode.PROTOCOL_INVALID_MESSAGE, "The agent broke its protocol: an answer to no request.", None),
        ),
        (
            [{"noise": 201}, {"wait": ""}],
            (
                ErrorCode.PROTOCOL_INVALID_MESSAGE,
                "The agent broke its protocol: its output is no stream of messages.",
                None,
            ),
        ),
    ],
    ids=["exit", "end of output", "protocol", "noise"],
)
async def test_a_session_says_why_it_was_lost(
    open_agent: Open, steps: list[dict[str, Any]], loss: tuple[ErrorCode, str, int | None]
):
    session = await open_agent()
    assert session.loss is None
    events = await play(session, do({"text": "a"}, *steps))
    assert session.loss == SessionLoss(code=loss[0], message=loss[1], exit_code=loss[2])
    assert (failed(events).code, failed(events).message) == loss[:2]
    await session.close()
    assert session.loss is not None, "closing afterwards changes nothing"


async def test_a_session_that_was_killed_between_turns_says_so(open_agent: Open):
    session = await open_agent()
    os.kill(session.info.process.pid, signal.SIGKILL)
    async with asyncio.timeout(2):
        await session.gone()
    message = "The agent's process was ended by signal 9."
    assert session.loss == SessionLoss(code=ErrorCode.NATIVE_EXITED, message=message, exit_code=-9)


async def test_a_session_whose_agent_stops_reading_says_so(open_agent: Open):
    session = await open_agent({"deaf_after_session": True}, request_ms=300)
    await play(session, "x" * (4 * MIB))
    message = "The agent stopped reading its input."
    assert session.loss == SessionLoss(code=ErrorCode.NATIVE_SESSION_LOST, message=message)


@pytest.mark.parametrize("in_turn", [True, False])
async def test_a_session_that_we_close_is_no_loss(open_agent: Open, in_turn: bool):
    session = await open_agent()
    running = Running(session, do({"text": "a"}, {"wait": ""} if in_turn else {"text": "b"}))
    await running.has_text()
    await session.close()
    await running.end()
    assert session.loss is None and not session.usable


# ---------------------------------------------------------------- cancel
async def test_a_cancelled_turn_ends_cancelled_and_the_session_goes_on(open_agent: Open):
    session = await open_agent()
    running = Running(session, do({"text": "partial"}, {"wait": ""}))
    await running.has_text()
    await session.cancel()
    assert (await running.end())[-1] == Cancelled()
    assert await session.settled(2)
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")


@pytest.mark.parametrize(
    "ending", [{"stop": "end_turn"}, {"stop": "max_tokens"}, {"error": {"code": -32603, "message": "aborted"}}], ids=str
)
async def test_whatever_the_agent_makes_of_our_cancel_it_is_cancelled(open_agent: Open, ending: dict[str, Any]):
    session = await open_agent()
    running = Running(session, do({"text": "partial"}, {"wait": ""}, ending))
    await running.has_text()
    await session.cancel()
    assert (await running.end())[-1] == Cancelled()


async def test_a_cancel_after_the_terminal_touches_nothing(open_agent: Open, cwd: Path):
    session = await open_agent()
    await play(session, do({"text": "hi"}))
    await session.cancel()
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")
    assert heard(cwd, "session/cancel") == []


async def test_a_cancel_never_overtakes_its_prompt(open_agent: Open, cwd: Path):
    session = await open_agent()
    running = Running(session, do({"wait": ""}))
    await asyncio.sleep(0)  # the first step of its task sends the prompt
    await session.cancel()
    assert (await running.end())[-1] == Cancelled()
    methods = [entry["method"] for entry in log_of(cwd) if entry["ev"] == "heard"]
    assert methods[-2:] == ["session/prompt", "session/cancel"]


async def test_a_cancel_while_the_prompt_is_still_being_written_is_sent_right_after_it(open_agent: Open, cwd: Path):
    session = await open_agent({"deaf_until": "go"})
    running = Running(session, "x" * (4 * MIB) + do({"wait": ""}))
    await asyncio.sleep(0)
    await session.cancel()
    assert session.usable
    (cwd / "go").touch()
    assert (await running.end())[-1] == Cancelled()
    methods = [entry["method"] for entry in log_of(cwd) if entry["ev"] == "heard"]
    assert methods[-2:] == ["session/prompt", "session/cancel"]
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")


async def test_a_prompt_that_is_abandoned_while_it_is_being_written_is_cancelled_right_after_it(
    open_agent: Open, cwd: Path
):
    session = await open_agent({"deaf_until": "go"})
    abandoned = session.prompt("x" * (4 * MIB) + do({"wait": ""}))
    first = asyncio.create_task(anext(abandoned))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert session.usable and not await session.settled(0.05)
    (cwd / "go").touch()
    assert await session.settled(PATIENCE_SECONDS)
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")
    assert len(heard(cwd, "session/cancel")) == 1


async def test_two_cancels_are_sent_once(open_agent: Open, cwd: Path):
    session = await open_agent()
    running = Running(session, do({"text": "partial"}, {"wait": ""}))
    await running.has_text()
    await asyncio.gather(session.cancel(), session.cancel())
    await running.end()
    assert len(heard(cwd, "session/cancel")) == 1


async def test_an_abandoned_prompt_is_cancelled_and_its_late_answer_ends_nothing_else(open_agent: Open, cwd: Path):
    session = await open_agent()
    abandoned = session.prompt(do({"text": "a"}, {"ignore_cancel": True}, {"wait": "go"}, {"text": "b"}))
    assert await anext(abandoned) == Started()
    await abandoned.aclose()
    await logged(cwd, "heard", method="session/cancel")
    assert not await session.settled(0.05)
    refused = await play(session, do({"text": "too early"}, n="2"))
    assert failed(refused).code is ErrorCode.NATIVE_SESSION_LOST
    (cwd / "go").touch()
    assert await session.settled(5)
    assert (await play(session, do({"text": "next"}, n="3")))[-1] == Completed("next")
    assert prompts(cwd) == ["1", "3"]


async def test_an_agent_that_ignores_a_cancel_is_ended_by_closing(open_agent: Open):
    session = await open_agent({"ignore_eof": True, "ignore_term": True}, close_ms=600)
    running = Running(session, do({"text": "a"}, {"ignore_cancel": True}, {"wait": ""}))
    await running.has_text()
    await session.cancel()
    assert not await session.settled(0.1)
    await session.close()
    assert failed(await running.end()).code is ErrorCode.NATIVE_EXITED
    record = session.stop_record
    assert record is not None and record.killed_ms is not None and record.exit_code == -signal.SIGKILL
    assert record.ended_ms < 2_000


# ---------------------------------------------------------------- stop reasons, errors
@pytest.mark.parametrize("reason", ["max_tokens", "max_turn_requests", "refusal", "invented"])
async def test_an_unusual_stop_reason_keeps_the_text(open_agent: Open, reason: str):
    assert (await play(await open_agent(), do({"text": "so far"}, {"stop": reason})))[-1] == Completed("so far", reason)


async def test_a_cancel_that_nobody_asked_for_interrupts(open_agent: Open):
    events = await play(await open_agent(), do({"text": "so far"}, {"stop": "cancelled"}))
    assert isinstance(events[-1], Interrupted) and streamed(events) == "so far"


async def test_an_end_without_any_answer_is_a_failure(open_agent: Open):
    events = await play(await open_agent(), do({"thought": "hm"}, {"raw": "reason: bad key"}, {"stop": "end_turn"}))
    assert failed(events).code is ErrorCode.NATIVE_EMPTY_RESPONSE
    assert diagnostics(events) == {"noise": 1}
    assert ReasoningDelta("hm") in events


async def test_an_end_with_a_tool_but_no_text_is_an_answer(open_agent: Open):
    call = {"update": {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"}}
    events = await play(await open_agent(), do(call))
    assert events[-1] == Completed("")
    assert [event.phase for event in events if isinstance(event, ToolEvent)] == [ToolPhase.STARTED, ToolPhase.COMPLETED]


async def test_an_error_of_the_agent_leaves_the_session_usable(open_agent: Open):
    session = await open_agent()
    error = {"code": -32603, "message": "Internal error", "data": {"error": {"message": "429: retry after 3s"}}}
    failure = failed(await play(session, do({"error": error})))
    assert (failure.code, failure.retry_after_seconds) == (ErrorCode.NATIVE_RATE_LIMITED, 3.0)
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")


async def test_a_session_that_is_dead_at_the_prompt_is_not_prompted_again(open_agent: Open, cwd: Path):
    session = await open_agent()
    failure = failed(await play(session, do({"error": {"code": -32602, "message": "Session not found"}})))
    assert failure.code is ErrorCode.NATIVE_SESSION_LOST and failure.session_lost
    assert prompts(cwd) == ["1"]


# ---------------------------------------------------------------- questions
@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("session/request_permission", "permission"),
        ("elicitation/create", "an answer"),
        ("_x/ask_user_question", "an answer"),
    ],
)
async def test_a_question_ends_the_turn_at_once_and_is_never_answered_for_the_person(
    open_agent: Open, cwd: Path, method: str, kind: str
):
    session = await open_agent()
    params = {
        "options": [{"optionId": "rm", "name": "rm -rf", "kind": "allow_once"}],
        "toolCall": {"title": "rm -rf /"},
    }
    events = await play(session, do({"text": "partial"}, {"ask": {"method": method, "params": params}}, {"wait": ""}))
    failure = failed(events)
    assert failure.code is ErrorCode.UNEXPECTED_NATIVE_INTERACTION
    assert kind in failure.message and "rm" not in f"{failure.message}{failure.hint}".replace("permission", "")
    assert streamed(events) == "partial"
    assert await session.settled(5)
    assert (await logged(cwd, "answer"))["result"] == {"outcome": {"outcome": "cancelled"}}
    assert len(heard(cwd, "session/cancel")) == 1
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")


async def test_a_question_alone_proves_that_the_prompt_arrived(open_agent: Open):
    events = await play(await open_agent(), do({"ask": {"method": "session/request_permission"}}))
    assert events[0] == Started()


async def test_a_question_that_crosses_our_cancel_changes_nothing(open_agent: Open, cwd: Path):
    session = await open_agent()
    ask = {"ask": {"method": "session/request_permission"}}
    running = Running(session, do({"text": "a"}, {"ignore_cancel": True}, {"wait": "go"}, ask, {"stop": "cancelled"}))
    await running.has_text()
    await session.cancel()
    (cwd / "go").touch()
    assert (await running.end())[-1] == Cancelled()
    assert (await logged(cwd, "answer"))["result"] == {"outcome": {"outcome": "cancelled"}}


async def test_one_prompt_at_a_time(open_agent: Open):
    session = await open_agent()
    running = Running(session, do({"text": "a"}, {"wait": ""}))
    await running.has_text()
    with pytest.raises(RuntimeError):
        await anext(session.prompt("second"))
    await session.cancel()
    await running.end()

"""A native session taken up in a new process, and all the ways in which that fails."""

from pathlib import Path
from typing import Any

import pytest

from adapters.contract import Completed
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.scripted import do, failed, heard, play, refused, streamed
from tests.fakes.real_habits import HABITS

pytestmark = pytest.mark.usefixtures("nothing_left_running")


async def test_a_resume_in_a_new_process_keeps_the_session(open_agent: Open, cwd: Path):
    first = await open_agent()
    await first.close()
    second = await open_agent(resume=first.info.native_session_id)
    assert second.info.resumed and not second.info.context_lost
    assert second.info.native_session_id == first.info.native_session_id
    assert heard(cwd, "session/load") == []


async def test_load_is_used_where_resume_is_not_announced(open_agent: Open, cwd: Path):
    first = await open_agent({"capabilities": {"loadSession": True}})
    await first.close()
    second = await open_agent({"capabilities": {"loadSession": True}}, resume=first.info.native_session_id)
    assert second.info.resumed
    assert heard(cwd, "session/resume") == [] and len(heard(cwd, "session/load")) == 1


@pytest.mark.parametrize("where", ["history", "history_after"])
async def test_history_told_again_is_no_news(open_agent: Open, where: str):
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "old words"}}
    first = await open_agent()
    await first.close()
    second = await open_agent({where: [chunk] * 50}, resume=first.info.native_session_id)
    events = await play(second, do({"text": "new words"}))
    assert streamed(events) == "new words"
    assert events[-1] == Completed("new words")


@pytest.mark.parametrize(
    "startup",
    [
        {},  # the id is not known
        {"capabilities": {}},  # resume is not announced
        {"replies": {"session/resume": {"result": {"success": False}}}},
        {"replies": {"session/resume": {"error": {"code": -32603, "message": "Internal error"}}}},
        {"replies": {"session/resume": {"hang": True}}},
    ],
    ids=["unknown id", "not announced", "a success that is none", "an error", "no answer"],
)
async def test_a_resume_that_fails_gives_a_fresh_session_that_says_so(open_agent: Open, startup: dict[str, Any]):
    session = await open_agent(startup, resume="long-gone", request_ms=300)
    assert session.info.context_lost and not session.info.resumed
    assert session.info.native_session_id != "long-gone"
    assert (await play(session, do({"text": "hi"})))[-1] == Completed("hi")


async def test_a_late_answer_to_a_resume_is_counted_and_harms_nothing(open_agent: Open):
    startup = {"replies": {"session/resume": {"hang": True}}}
    session = await open_agent(startup, resume="long-gone", request_ms=300)
    late = {"frame": {"id": 2, "result": {}}}  # initialize was 1
    events = await play(session, do({"text": "hi"}, late))
    assert events[-1] == Completed("hi")
    assert any(getattr(event, "kind", None) == "late_answer" for event in events)


async def test_a_resume_that_gives_another_session_has_lost_the_context(open_agent: Open):
    startup = {"replies": {"session/resume": {"result": {"sessionId": "another"}}}}
    info = (await open_agent(startup, resume="long-gone")).info
    assert (info.native_session_id, info.resumed, info.context_lost) == ("another", False, True)


@pytest.mark.parametrize("driver", ["hermes", "codebuddy"])
async def test_a_success_without_history_is_none_where_the_agent_always_tells_it(open_agent: Open, driver: str):
    keys = {"env": {"CODEBUDDY_API_KEY": "x"}, "close_ms": 500}
    session = await open_agent(HABITS[driver], driver=driver, resume="never-was", **keys)
    assert session.info.context_lost and session.info.native_session_id != "never-was"
    assert (await play(session, do({"text": "hi"})))[-1] == Completed("hi")


async def test_a_refusal_without_a_word_right_after_a_resume_means_that_the_session_is_dead(open_agent: Open):
    session = await open_agent({"invents_sessions": True}, resume="never-was")
    assert session.info.resumed, "nothing gave it away"
    failure = failed(await play(session, do({"text": "hi"})))
    assert failure.code is ErrorCode.NATIVE_SESSION_LOST and failure.session_lost


async def test_a_refusal_of_a_session_that_has_answered_is_only_a_refusal(open_agent: Open):
    first = await open_agent()
    await first.close()
    session = await open_agent(resume=first.info.native_session_id)
    await play(session, do({"text": "hi"}))
    assert (await play(session, do({"stop": "refusal"}, n="2")))[-1] == Completed("", "refusal")


@pytest.mark.parametrize(
    ("replies", "code"),
    [
        ({"session/resume": {"exit": 3}}, ErrorCode.NATIVE_START_FAILED),
        ({"session/resume": {"frames": [{"id": 77, "result": 1}], "hang": True}}, ErrorCode.PROTOCOL_INVALID_MESSAGE),
        ({"session/resume": {"hang": True}, "session/new": {"hang": True}}, ErrorCode.NATIVE_START_FAILED),
        ({"session/resume": {"error": {"message": "no"}}, "session/new": {"exit": 3}}, ErrorCode.NATIVE_START_FAILED),
    ],
    ids=["dies", "breaks the protocol", "hangs for good", "dies afterwards"],
)
async def test_a_start_that_fails_over_a_resume_says_so(cwd: Path, replies: dict[str, Any], code: ErrorCode):
    failure = await refused(cwd, {"replies": replies}, resume="old", request_ms=300, handshake_ms=1_500)
    assert failure.code is code and failure.temporary and failure.while_resuming


@pytest.mark.parametrize("method", ["initialize", "session/set_mode"])
async def test_a_start_that_fails_otherwise_is_not_the_sessions_fault(open_agent: Open, cwd: Path, method: str):
    first = await open_agent(driver="kimi")
    await first.close()
    startup = {"replies": {method: {"exit": 3}}}
    failure = await refused(cwd, startup, driver="kimi", resume=first.info.native_session_id)
    assert not failure.while_resuming

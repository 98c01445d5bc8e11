"""A native session taken up in a new process, and all the ways in which that fails."""

from pathlib import Path
from typing import Any

import pytest

from adapters.contract import Completed
from tests.adapters.conftest import Open
from tests.adapters.scripted import do, heard, play, streamed

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

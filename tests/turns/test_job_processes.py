"""Short sessions with real child processes, in each protocol (docs/jobs.md).

What a CLI does wrong becomes the end of its job; no process is left; its agent's own session and turn never notice.
"""

import asyncio
from dataclasses import replace

import psutil
import pytest

from adapters.registry import driver_for
from groupx.kernel.clock import SystemClock
from groupx.kernel.errors import ErrorCode
from rooms.transactions import in_db
from tests import given
from tests.adapters.dialects import DIALECTS
from tests.adapters.scripted import do, log_of, logged, prompts, spec
from tests.turns.jobs_in_a_lane import failure_of, until_ready
from tests.turns.stage import WAIT_SECONDS, LaneStage
from tests.turns.test_lane_survives import with_timeouts
from turns.agent_jobs import ask_agent

pytestmark = pytest.mark.django_db(transaction=True)

each_driver = pytest.mark.parametrize("driver", DIALECTS)
QUESTIONS = {
    "acp": {"method": "session/request_permission"},
    "claude": {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "t"},
    "codex": {"method": "item/commandExecution/requestApproval"},
}


def lane_of(room, cwd, driver, startup=None, **limits):
    return LaneStage(room, "builder", driver=driver_for(driver), spec=spec(cwd, driver, startup, **limits))


async def ask(*steps, n="job"):
    async with asyncio.timeout(WAIT_SECONDS):
        return await ask_agent("agent:builder", do(*steps, n=n), asked_by="test", is_good=bool, clock=SystemClock())


def started(cwd):
    """The pids of the processes that were started, in order: the lane's own comes first."""
    return [entry["pid"] for entry in log_of(cwd) if entry["ev"] == "start"]


@each_driver
async def test_it_answers_without_the_rooms_tools_while_its_agent_works(live_room, clock, tmp_path, driver):
    turn_id = await in_db(given.queued_turn, "builder", clock=clock, content=do({"text": "half"}, {"wait": "go"}))
    async with lane_of(live_room, tmp_path, driver) as lane:
        await lane.status_of(turn_id, "running")
        assert await ask({"text": "All is "}, {"text": "well."}) == "All is well."
        own, short = started(tmp_path)
        assert not psutil.pid_exists(short)
        assert {entry["pid"] for entry in log_of(tmp_path) if entry["ev"] == "offered"} <= {own}
        (tmp_path / "go").touch()
        await lane.status_of(turn_id, "completed")

    assert prompts(tmp_path) == ["1", "job"]


@each_driver
@pytest.mark.parametrize(
    ("steps", "code", "is_temporary"),
    [
        ([{"text": "half"}, {"exit": 7}], ErrorCode.NATIVE_EXITED, True),
        ([{"close_output": True}], ErrorCode.NATIVE_EXITED, True),
        (["question"], ErrorCode.UNEXPECTED_NATIVE_INTERACTION, False),
        ([{"text": ""}], ErrorCode.NATIVE_EMPTY_RESPONSE, True),
        ([{"noise": 201}, {"wait": ""}], ErrorCode.PROTOCOL_INVALID_MESSAGE, False),
        ([{"text": "half"}, {"wait": ""}], ErrorCode.TURN_IDLE_TIMEOUT, True),
        (["error"], ErrorCode.NATIVE_RATE_LIMITED, True),
    ],
    ids=["dies", "end of output", "asks a person", "says nothing", "breaks the protocol", "hangs", "rate limit"],
)
async def test_whatever_goes_wrong_ends_its_job_and_its_process_and_nothing_else(
    live_room, clock, tmp_path, driver, steps, code, is_temporary
):
    meant = {"question": [{"text": "a"}, {"ask": QUESTIONS[driver]}, {"wait": ""}]}
    meant["error"] = [DIALECTS[driver].error("429 too many requests")]
    steps = [step for name in steps for step in (meant[name] if isinstance(name, str) else [name])]
    async with lane_of(with_timeouts(live_room, idle_ms=700), tmp_path, driver) as lane:
        await until_ready(lane)
        failure = await failure_of(ask(*steps))
        own, short = started(tmp_path)
        assert psutil.pid_exists(own) and not psutil.pid_exists(short)
        turn_id = await in_db(given.queued_turn, "builder", clock=clock, content=do({"text": "here"}, n="turn"))
        await lane.status_of(turn_id, "completed")

    assert (failure.code, failure.is_temporary) == (code, is_temporary)
    assert prompts(tmp_path) == ["job", "turn"] and len(started(tmp_path)) == 2


@each_driver
async def test_a_lane_that_closes_leaves_no_short_session_however_stubborn_it_is(live_room, tmp_path, driver):
    startup = {"ignore_eof": True, "ignore_term": True}
    async with lane_of(live_room, tmp_path, driver, startup, close_ms=500) as lane:
        await until_ready(lane)
        asking = asyncio.create_task(ask({"text": "half"}, {"wait": ""}))
        await logged(tmp_path, "prompt", n="job")
        lane.worker.close()
        failure = await failure_of(asking)
        await lane.task

    assert failure.code is ErrorCode.RUNTIME_CLOSING
    assert len(started(tmp_path)) == 2 and not any(psutil.pid_exists(pid) for pid in started(tmp_path))


@each_driver
async def test_a_cli_that_cannot_start_ends_its_job_with_its_own_words(live_room, tmp_path, driver):
    nowhere = replace(spec(tmp_path, driver), argv=("/nowhere/no-such-program",))
    own = spec(tmp_path, driver)
    missing = LaneStage(live_room, "builder", driver=driver_for(driver), spec=own, jobs_spec=nowhere)
    async with missing as lane:
        await until_ready(lane)
        failure = await failure_of(ask({"text": "hi"}))

    assert (failure.code, failure.is_temporary) == (ErrorCode.COMMAND_NOT_FOUND, False)
    assert "no-such-program" in failure.message

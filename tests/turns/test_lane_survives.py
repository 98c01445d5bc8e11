"""A lane with a real child process that misbehaves (docs/drivers.md, "What every driver survives").

What a driver tells of each misbehaviour is tested in tests/adapters; here is what becomes of it in the room.
"""

import os
import random
import signal

import pytest

from adapters.registry import driver_for
from rooms.models import Event, SessionBinding
from rooms.transactions import in_db, in_reader
from tests import given
from tests.adapters.dialects import DIALECTS
from tests.adapters.scripted import do, log_of, logged, prompts, resumes, spec
from tests.turns.stage import LaneStage
from turns.models import Turn, TurnAttempt
from turns.state import TurnStatus

pytestmark = pytest.mark.django_db(transaction=True)


def with_timeouts(room, **timeouts):
    return room.model_copy(update={"timeouts": room.timeouts.model_copy(update=timeouts)})


each_driver = pytest.mark.parametrize("driver", DIALECTS)


def lane_of(room, cwd, startup=None, driver="acp", **limits):
    """The lane of an agent that is the scripted child process, with the driver that a room would use."""
    return LaneStage(room, "builder", driver=driver_for(driver), spec=spec(cwd, driver, startup, **limits))


async def queued(clock, *steps, n):
    return await in_db(given.queued_turn, "builder", clock=clock, content=do(*steps, n=n))


async def terminal_of(turn_id):
    """The body of the turn's only terminal event."""
    types = [f"turn.{status}" for status in TurnStatus if status.is_terminal]
    return await in_reader(lambda: Event.objects.get(type__in=types, body__turnId=turn_id).body)


@each_driver
@pytest.mark.parametrize(
    ("steps", "code"),
    [
        (["unknown answer", {"wait": ""}], "PROTOCOL_INVALID_MESSAGE"),
        ([{"noise": 201}, {"wait": ""}], "PROTOCOL_INVALID_MESSAGE"),
        ([{"exit": 7}], "NATIVE_EXITED"),
        ([{"close_output": True}], "NATIVE_EXITED"),
    ],
    ids=["protocol", "noise", "exit", "end of output"],
)
async def test_a_broken_session_fails_its_turn_once_and_is_resumed_in_a_new_process_for_the_next(
    live_room, clock, tmp_path, driver, steps, code
):
    dialect = DIALECTS[driver]
    steps = [{"frame": dialect.unknown_answer} if step == "unknown answer" else step for step in steps]
    first = await queued(clock, {"text": "half"}, *steps, n="1")
    second = await queued(clock, {"text": "whole"}, n="2")

    async with lane_of(live_room, tmp_path, driver=driver) as lane:
        await lane.status_of(first, "failed")
        await lane.status_of(second, "completed")

    body = await terminal_of(first)
    assert (body["errorCode"], body["partialText"]) == (code, "half")
    assert prompts(tmp_path) == ["1", "2"], "each once"
    assert len({entry["pid"] for entry in log_of(tmp_path) if entry["ev"] == "start"}) == 2
    assert resumes(tmp_path, dialect) == 1


@pytest.mark.parametrize("driver", ["acp", "claude"])
@pytest.mark.parametrize(
    ("timeouts", "steps", "code"),
    [
        ({"first_event_ms": 300}, [{"wait": ""}], "TURN_FIRST_EVENT_TIMEOUT"),
        ({"idle_ms": 300}, [{"text": "half"}, {"wait": ""}], "TURN_IDLE_TIMEOUT"),
        ({"turn_ms": 600}, [{"text": "half"}, {"wait": ""}], "TURN_TIME_LIMIT"),
    ],
    ids=["no first event", "silence", "too long"],
)
async def test_a_hanging_agent_fails_its_turn_and_takes_the_next(
    live_room, clock, tmp_path, driver, timeouts, steps, code
):
    startup = {"no_init": True, "tells_no_prompts": True}  # who says that much shows life
    first = await queued(clock, *steps, n="1")
    second = await queued(clock, {"text": "whole"}, n="2")

    async with lane_of(with_timeouts(live_room, **timeouts), tmp_path, startup, driver) as lane:
        await lane.status_of(first, "failed")
        await lane.status_of(second, "completed")

    assert (await terminal_of(first))["errorCode"] == code
    assert prompts(tmp_path) == ["1", "2"]


@each_driver
async def test_an_agent_that_ignores_a_cancel_is_ended_step_by_step_and_each_step_is_recorded(
    live_room, clock, tmp_path, driver
):
    room = with_timeouts(live_room, cancel_ms=300)
    first = await queued(clock, {"text": "half"}, {"ignore_cancel": True}, {"wait": ""}, n="1")
    second = await queued(clock, {"text": "whole"}, n="2")

    async with lane_of(room, tmp_path, {"ignore_eof": True, "ignore_term": True}, driver, close_ms=500) as lane:
        await lane.status_of(first, "running")
        await in_db(given.cancelled, first, clock=clock)
        await lane.status_of(first, "interrupted")
        await lane.status_of(second, "completed")

    body = await terminal_of(first)
    assert (body["errorCode"], body["partialText"]) == ("TURN_CANCEL_TIMEOUT", "half")
    steps = (await in_reader(lambda: TurnAttempt.objects.get(turn__turn_id=first))).cancel_steps
    assert [step["step"] for step in steps] == [
        "native_cancel",
        "end_of_input",
        "terminated",
        "killed",
        "process_ended",
    ]
    assert [step["ms"] for step in steps] == sorted(step["ms"] for step in steps)
    assert steps[0]["ms"] == 0 and steps[1]["ms"] >= 300


async def test_a_late_result_of_a_turn_that_hit_a_limit_does_not_end_the_next(live_room, clock, tmp_path):
    room = with_timeouts(live_room, first_event_ms=300)
    late = ({"ignore_cancel": True}, {"wait": "go"}, {"text": "too late"})
    first = await queued(clock, *late, n="1")

    async with lane_of(room, tmp_path) as lane:
        await lane.status_of(first, "failed")
        second = await queued(clock, {"text": "whole"}, n="2")
        (tmp_path / "go").touch()
        await lane.status_of(second, "completed")

    answer = await in_reader(lambda: Event.objects.get(type="message.created", actor_id="agent:builder"))
    assert answer.body["content"] == "whole"


async def test_a_question_fails_the_turn_and_the_agent_is_ready_again_by_itself(live_room, clock, tmp_path):
    ask = {"ask": {"method": "session/request_permission"}}
    first = await queued(clock, {"text": "half"}, ask, {"wait": ""}, n="1")
    second = await queued(clock, {"text": "whole"}, n="2")

    async with lane_of(live_room, tmp_path) as lane:
        await lane.status_of(first, "failed")
        await lane.status_of(second, "completed")

    body = await terminal_of(first)
    assert body["errorCode"] == "UNEXPECTED_NATIVE_INTERACTION" and body["hint"]
    assert (await logged(tmp_path, "answer"))["result"] == {"outcome": {"outcome": "cancelled"}}
    assert len([entry for entry in log_of(tmp_path) if entry["ev"] == "start"]) == 1, "on the same process"


@each_driver
async def test_an_agent_that_is_killed_between_turns_is_there_for_the_next(live_room, clock, tmp_path, driver):
    first = await queued(clock, {"text": "one"}, n="1")
    async with lane_of(live_room, tmp_path, driver=driver) as lane:
        await lane.status_of(first, "completed")
        os.kill(log_of(tmp_path)[0]["pid"], signal.SIGKILL)
        await lane.until(
            lambda: SessionBinding.objects.exclude(instance=None).filter(actor_id="agent:builder").count() == 2
        )
        second = await queued(clock, {"text": "two"}, n="2")
        await lane.status_of(second, "completed")

    assert prompts(tmp_path) == ["1", "2"]


MISBEHAVIOURS = [
    [{"exit": 0}],
    [{"close_output": True}],
    [{"frame": {"id": 987, "result": {}}}, {"wait": ""}],
    [{"noise": 201}, {"wait": ""}],
    [{"update": "no object"}, {"wait": ""}],
    [{"ask": {"method": "elicitation/create"}}, {"wait": ""}],
    [{"ask": {"method": "fs/read_text_file"}}, {"text": "on"}],
    [{"stop": "cancelled"}],
    [{"stop": "refusal"}],
    [{"error": {"code": -32603, "message": "529 overloaded"}}],
    [{"reply": "no object"}, {"wait": ""}],
    [{"reply": None}],
    [{"grandchild": "holds"}, {"exit": 3}],
    [{"stderr": 300_000}, {"text": "on"}],
]


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_an_agent_does_each_turn_has_one_terminal_and_was_prompted_once(
    live_room, clock, tmp_path, seed
):
    rng = random.Random(seed)
    turns = []
    for number in range(8):
        steps = [{"text": "a"}] if rng.random() < 0.7 else []
        if number % 2:  # a completed turn between them: an agent that only fails is given up
            steps = [{"text": "fine"}]
        else:
            steps += rng.choice(MISBEHAVIOURS)
        turns.append(await queued(clock, *steps, n=str(number)))

    async with lane_of(live_room, tmp_path) as lane:
        await lane.until(lambda: not Turn.objects.exclude(status__in=[s for s in TurnStatus if s.is_terminal]).exists())

    for turn_id in turns:
        await terminal_of(turn_id)
    assert prompts(tmp_path) == [str(number) for number in range(8)]

"""What is told in the room and is no message reaches no agent (docs/context.md): every prompt that the scripted agents
were given is searched for it."""

import pytest

from adapters.contract import Completed, ReasoningDelta, Started, TextDelta, ToolEvent, ToolPhase, ToolStatus
from groupx.kernel.config import GroupXConfig
from memory.models import RollupSource
from memory.queries.rollups import day_now
from memory.rollup_prompt import build_batch
from rooms.models import Event
from rooms.transactions import in_db, in_reader
from rooms.vocabulary import CONTEXT_TYPES
from tests import given
from tests.fakes.adapter import ScriptedSession
from tests.markers import KEPT, MARK, SAID, MarkedRoom, a_marked_room
from tests.memory.compacting import Scripted
from tests.turns.stage import LaneStage

pytestmark = pytest.mark.django_db(transaction=True)

NEVER_CONTEXT = {
    "turn.queued", "turn.dispatched", "turn.started", "turn.completed", "turn.failed", "turn.cancelled",
    "turn.interrupted", "turn.reasoning.recorded", "tool.progress.recorded", "session.ready", "session.failed",
    "supervision.paired", "supervision.brief", "supervision.steered", "context.reset", "memory.remembered",
    "memory.superseded", "memory.retracted", "identity.remembered", "system.error",
}  # fmt: skip


async def prompts_of(live_room: GroupXConfig, name: str, clock, *messages: dict) -> list[str]:
    """What the agent is prompted with for these messages, one after the other in one session."""
    session = ScriptedSession(f"fresh-{name}")
    async with LaneStage(live_room, name, session) as lane:
        for message in messages:
            session.say(
                Started(),
                ReasoningDelta(f"{MARK} live reasoning"),
                *(
                    ToolEvent(
                        phase=phase,
                        tool_call_id="call-1",
                        name=f"{MARK}-live-tool",
                        status=status,
                        details={"output": f"{MARK} live output"},
                    )
                    for phase, status in (
                        (ToolPhase.STARTED, ToolStatus.RUNNING),
                        (ToolPhase.COMPLETED, ToolStatus.COMPLETED),
                    )
                ),
                TextDelta("ok"),
                Completed("ok"),
            )
            turn_id = await in_db(given.queued_turn, name, clock=clock, **message)
            await lane.status_of(turn_id, "completed")
    return session.prompts


def types_in_log() -> set[str]:
    return set(Event.objects.exclude(type__in=CONTEXT_TYPES).values_list("type", flat=True))


async def test_no_prompt_of_a_turn_carries_what_is_no_message(live_room, clock):
    room: MarkedRoom = await in_db(a_marked_room, clock=clock)
    assert await in_reader(types_in_log) >= NEVER_CONTEXT
    replies = [{"replyToEventId": event_id} for event_id in await in_reader(room.events_to_reply_to)]

    prompts = await prompts_of(live_room, "scribe", clock, {"content": "and now?"}, *replies)
    for name in ("builder", "reviewer"):
        prompts += await prompts_of(live_room, name, clock, {"content": "and you?"}, {"content": "well?"})

    assert len(prompts) == len(replies) + 5
    first = prompts[0]
    assert [first.find(f"\n> {said}") > 0 for said in SAID] == [True] * len(SAID)
    assert f"\n> {KEPT}" in first
    replied_to = {message["replyToEventId"] for message in replies}
    unquoted = [without_reply_ids(prompt, replied_to) for prompt in prompts]
    assert await in_reader(lambda: room.hidden_in(*unquoted)) == []


async def test_no_prompt_of_a_summary_carries_what_is_no_message(live_room, clock):
    room: MarkedRoom = await in_db(a_marked_room, clock=clock)
    scripted = Scripted(clock, builder=["noted"])

    await scripted.compact(keeps=0)

    [(_, prompt)] = scripted.prompts
    assert [prompt.find(f"\n> {said}") > 0 for said in SAID] == [True] * len(SAID)
    assert KEPT not in prompt
    assert await in_reader(lambda: room.hidden_in(prompt)) == []


async def test_no_prompt_of_a_day_carries_anything_but_its_turns_message_and_answer(live_room, clock):
    room: MarkedRoom = await in_db(a_marked_room, clock=clock)

    day = await in_reader(lambda: RollupSource.objects.filter(actor_id="agent:builder").values_list("day").get()[0])
    prompt = (await in_reader(lambda: build_batch(day_now("agent:builder", day)))).prompt

    assert [f"\n> {said}" in prompt for said in SAID] == [True, True, False, False]
    assert KEPT not in prompt
    assert await in_reader(lambda: room.hidden_in(prompt)) == []


def without_reply_ids(prompt: str, replied_to: set[str]) -> str:
    """A message names what it replies to; that alone is no content of it."""
    for event_id in replied_to:
        prompt = prompt.replace(f" reply_to={event_id}\n", "\n")
    return prompt

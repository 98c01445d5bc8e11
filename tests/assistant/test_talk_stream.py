"""`/api/assistant/events`: what followers of the side conversation are told (docs/protocol.md, "Assistant")."""

import asyncio

from adapters.contract import Completed, Started, TextDelta, ToolEvent, ToolPhase, ToolStatus
from assistant.live import HEARTBEAT_SECONDS, LiveTalk
from assistant.state import QuestionState, Role
from rooms.live_turn import Spoken
from tests.assistant.stage import Reader, TalkStage
from tests.fakes.adapter import ScriptedSession
from tests.fakes.clock import FakeClock


def is_reply(kind: str, data: dict) -> bool:
    return kind == "assistant.message" and data["item"]["role"] == "assistant"


def tool(name: str, phase: ToolPhase = ToolPhase.STARTED) -> ToolEvent:
    return ToolEvent(phase=phase, tool_call_id="t", name=name, status=ToolStatus.RUNNING)


async def test_an_answer_grows_on_the_stream_and_is_told_whole_at_its_end(talk: TalkStage):
    session = ScriptedSession()
    session.say(
        Started(), tool("mcp__groupx__roster"), TextDelta("Builder "), TextDelta("is."), Completed("Builder is.")
    )
    await talk.brain(session)
    async with talk.reader() as reader:
        await talk.ask()
        told = await reader.until(is_reply)

    assert told[0][0] == "assistant.state"
    growing = [(kind, data) for kind, data in told if kind in ("assistant.delta", "assistant.activity")]
    assert growing[0] == ("assistant.delta", {"clientCommandId": "q1", "chunkIndex": -1, "text": "", "replace": True})
    assert growing[1] == ("assistant.activity", {"clientCommandId": "q1", "text": "Looks who is in the room"})
    assert "".join(data["text"] for kind, data in growing if kind == "assistant.delta") == "Builder is."
    states = [data["item"]["state"] for kind, data in told if kind == "assistant.message" and "state" in data["item"]]
    assert states[-1] == "answered"
    assert told[-1][1]["item"]["content"] == "Builder is."


async def test_a_stream_opened_in_mid_run_begins_with_the_text_so_far(talk: TalkStage):
    session = ScriptedSession()
    await talk.brain(session)
    asking = talk.asking()
    async with talk.reader() as early:
        session.say(Started(), TextDelta("Builder "))
        await early.until(lambda kind, data: data.get("text") == "Builder ")
        async with talk.reader() as late:
            assert (await late.until(lambda kind, data: kind == "assistant.delta"))[1] == (
                "assistant.delta",
                {"clientCommandId": "q1", "chunkIndex": 0, "text": "Builder ", "replace": True},
            )
    session.say(Completed("Builder is."))
    await asking


async def test_a_server_that_comes_anew_is_told_what_was_said_without_it(talk: TalkStage):
    session = ScriptedSession()
    await talk.brain(session)
    asking = talk.asking()
    async with talk.reader() as reader:
        session.say(Started(), TextDelta("Builder "))
        await reader.until(lambda kind, data: data.get("text") == "Builder ")
        for connection in list(talk.server.connections):
            await connection.close()
        again = await reader.until(lambda kind, data: bool(data.get("replace")) and data["text"] == "Builder ")
        assert again[-1][1]["chunkIndex"] > 0
    session.say(Completed("Builder is."))
    assert (await asking)["reply"]["content"] == "Builder is."


async def test_who_is_told_nothing_gets_a_sign_of_life(clock: FakeClock):
    follower = LiveTalk(1_000, clock).follow()
    waiting = asyncio.create_task(follower.next_chunk())
    await clock.until_asleep()
    await clock.advance(HEARTBEAT_SECONDS)
    assert await waiting == b": heartbeat\n\n"


async def test_who_falls_too_far_behind_has_to_come_again_and_nobody_else(clock: FakeClock):
    live = LiveTalk(500, clock)
    slow, quick = Reader(live.follow()), Reader(live.follow())
    live.begin("q1", Spoken())
    for index in range(20):
        live.delta("q1", index, f"<{index}>", 0)
        await quick.more()
    await slow.more()
    assert slow.is_over and not quick.is_over
    assert [data["text"] for _, data in quick.told] == ["", *(f"<{index}>" for index in range(20))]


async def test_what_a_question_said_before_its_brain_died_is_told_to_nobody_who_comes_later(clock: FakeClock):
    live = LiveTalk(1_000, clock)
    live.begin("q1", Spoken())
    live.delta("q1", 0, "half", 0)
    live.tell_message(
        {
            "messageId": "amsg_1",
            "role": Role.USER,
            "content": "Who is here?",
            "clientCommandId": "q1",
            "createdAt": "2026-01-01T00:00:00Z",
            "state": QuestionState.FAILED,
        }
    )
    late = Reader(live.follow())
    live.begin("q2", Spoken())
    await late.more()
    assert [data["clientCommandId"] for _, data in late.told] == ["q2"]


async def test_a_room_that_drains_ends_the_streams(clock: FakeClock):
    live = LiveTalk(1_000, clock)
    before = live.follow()
    live.close()
    assert [await before.next_chunk(), await live.follow().next_chunk()] == [None, None]

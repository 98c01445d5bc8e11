"""Each real CLI is the brain of the room's assistant, against a scripted model on loopback (docs/mcp.md,
"Operator")."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.fakes.model_server import ModelServer
from tests.live.capabilities import Capability
from tests.live.recipes import Recipe, room_call
from tests.live.stage import TURN_SECONDS
from tests.running_room import RunningRoom, do, scripted
from tests.waiting import wait_until

pytestmark = pytest.mark.live
ASK_SECONDS = 180


@dataclass
class Talk:
    """A room with a scripted worker, and the tested CLI as its assistant's brain."""

    room: RunningRoom

    def ask(self, content: str) -> str:
        """What the assistant answers."""
        body = {"clientCommandId": uuid.uuid4().hex, "content": content}
        status, told = self.room.request("POST", "/api/assistant/messages", body, timeout=ASK_SECONDS)
        assert status == 200, told
        answer: str = told["reply"]["content"]
        return answer.strip()

    def dispatches(self) -> list[dict[str, Any]]:
        return [event for event in self.room.events() if event["type"] == "operator.dispatch"]


@pytest.fixture(scope="module")
def talk(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    folder = tmp_path_factory.mktemp(recipe.driver)
    (folder / "brain").mkdir()
    with ModelServer() as model:
        room = RunningRoom(
            folder,
            {"builder": scripted("builder", folder)},
            env=recipe.env(folder / "home", model),
            timeouts={"handshakeMs": 90_000, "requestMs": 60_000},
            assistant={
                "enabled": True,
                "name": "Ada",
                "brain": {"driver": recipe.driver, "command": recipe.executable, "cwd": "brain"},
            },
        )
        try:
            room.start()
            room.until_agent("builder", "ready")
            wait_until(
                lambda: room.get("/api/assistant")["status"] in ("ready", "failed"),
                timeout_seconds=TURN_SECONDS,
                what="the assistant is ready",
            )
            yield Talk(room)
        finally:
            room.stop()


@pytest.mark.capability(Capability.ASSISTS)
def test_it_gives_an_agent_work_that_the_person_asked_for_beside_the_room(talk: Talk):
    work = do("Paint it blue.", steps=[{"text": "painted"}])
    giving = room_call("worker_dispatch", to=["agent:builder"], content=work, clientCommandId=uuid.uuid4().hex)

    answer = talk.ask(f"Have it painted.\n{giving}\nSAY:It is under way.")

    assert answer == "It is under way."
    [dispatch] = talk.dispatches()
    assert (dispatch["actor"]["displayName"], dispatch["to"]) == ("Ada", ["agent:builder"])
    assert dispatch["body"]["content"] == work
    queued = next(e for e in talk.room.events() if e["type"] == "turn.queued")
    assert talk.room.until_turn(queued["body"]["turnId"])["status"] == "completed"
    said = [event["body"]["content"] for event in talk.room.events() if event["type"] == "message.created"]
    assert said == ["painted"], "what was said to the assistant stays between the two"


@pytest.mark.capability(Capability.ASSISTS)
def test_it_asks_an_agent_and_uses_the_answer(talk: Talk):
    question = do("What colour is it?", steps=[{"text": "blue"}])
    asking = room_call("worker_ask", to=["agent:builder"], content=question, clientCommandId=uuid.uuid4().hex)
    assert talk.ask(f"Find out the colour.\n{asking}\nSAY:They say {{content}}.") == "They say blue."

"""A real room whose assistant's processes die: each question ends once, and can be asked again (docs/assistant.md).

The tests share a room and run in their order; each leaves it working.
"""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.running_room import STOP_SECONDS, RunningRoom, do, kill_one, scripted
from tests.waiting import wait_until

ASK = "/api/assistant/messages"


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    folder = tmp_path_factory.mktemp("brain")
    played = scripted("brain", folder)
    brain = {key: played[key] for key in ("driver", "command", "cwd")}
    room = RunningRoom(folder, {"a": scripted("a", folder)}, assistant={"enabled": True, "brain": brain})
    try:
        room.start()
        yield room
    finally:
        room.stop()


class Asking(threading.Thread):
    """Somebody who waits for an answer."""

    def __init__(self, room: RunningRoom, command_id: str, content: str) -> None:
        super().__init__(daemon=True)
        self._room, self._command_id, self._content = room, command_id, content
        self.answer: tuple[int, dict[str, Any]] | None = None
        """None also where the connection was lost."""
        self.start()

    def run(self) -> None:
        try:
            self.answer = self._room.request(
                "POST", ASK, {"clientCommandId": self._command_id, "content": self._content}, timeout=60
            )
        except OSError:
            pass

    def over(self) -> tuple[int, dict[str, Any]] | None:
        self.join(60)
        return self.answer


def held(room: RunningRoom, nonce: str) -> tuple[str, Asking]:
    """A question whose brain waits for the file `go-<nonce>`, and who waits for its answer."""
    content = do(n=nonce, steps=[{"text": "first words "}, {"wait": f"go-{nonce}"}, {"text": "last words"}])
    asking = Asking(room, nonce, content)
    wait_until(lambda: room.prompts("brain", nonce), timeout_seconds=60, what=f"prompt {nonce}")
    return content, asking


def release(room: RunningRoom, nonce: str) -> None:
    (room.folder / "brain" / f"go-{nonce}").write_text("")


def again(room: RunningRoom, nonce: str, content: str) -> dict[str, Any]:
    status, answer = room.command(ASK, nonce, content=content)
    assert status == 200, answer
    return answer


def questions(room: RunningRoom, nonce: str) -> list[str]:
    items = room.get("/api/assistant/messages")["items"]
    return [item["state"] for item in items if item["role"] == "user" and item["clientCommandId"] == nonce]


def test_a_brain_that_is_killed_in_mid_run_fails_its_question_once_and_is_asked_again_by_the_same_id(room):
    content, asking = held(room, "k1")
    for process in room.processes("groupx_assistant"):
        kill_one(process)
        process.wait(STOP_SECONDS)
    status, refused = asking.over() or (0, {})
    assert (status, refused["error"]["code"]) == (409, "TURN_INTERRUPTED")
    assert "ask again" in refused["error"]["details"]["hint"]
    assert len(room.prompts("brain", "k1")) == 1, "not asked again by itself"

    release(room, "k1")
    assert again(room, "k1", content)["reply"]["content"] == "first words last words"
    assert questions(room, "k1") == ["answered"] and len(room.prompts("brain", "k1")) == 2


def test_a_server_that_is_killed_in_mid_run_takes_neither_brain_nor_question_along(room):
    content, asking = held(room, "s1")
    room.kill_server()
    asking.over()
    wait_until(lambda: _answers(room), timeout_seconds=30, what="another server")
    joined = Asking(room, "s1", content)
    release(room, "s1")
    status, answer = joined.over() or (0, {})
    assert (status, answer["reply"]["content"]) == (200, "first words last words")
    assert len(room.prompts("brain", "s1")) == 1


def _answers(room: RunningRoom) -> bool:
    try:
        return room.get("/api/health")["status"] == "ok"
    except OSError:
        return False


def test_two_that_ask_the_same_at_once_get_the_same_of_one_run(room):
    content, first = held(room, "t1")
    second = Asking(room, "t1", content)
    release(room, "t1")
    assert first.over() == second.over() and first.answer is not None and first.answer[0] == 200
    assert len(room.prompts("brain", "t1")) == 1


def test_a_reply_is_kept_over_a_restart_and_the_conversation_goes_on_in_its_session(room):
    content = do(n="r1", steps=[{"text": "kept"}])
    first = again(room, "r1", content)
    room.stop()
    room.start()
    assert again(room, "r1", content) == first
    assert len(room.prompts("brain", "r1")) == 1
    again(room, "r2", do(n="r2", steps=[{"text": "more"}]))
    assert [row["method"] for row in room.noted("brain", "heard")].count("session/new") == 1


def test_a_room_that_stops_in_mid_run_ends_the_question_with_a_sentence(room):
    content, asking = held(room, "d1")
    room.stop()
    asking.over()
    room.start()
    assert questions(room, "d1") == ["failed"]
    release(room, "d1")
    assert again(room, "d1", content)["reply"]["content"] == "first words last words"


def test_a_question_is_cancelled_in_its_cli(room):
    _, asking = held(room, "c1")
    assert room.request("POST", "/api/assistant/cancel", {}) == (202, {"accepted": True, "clientCommandId": "c1"})
    status, refused = asking.over() or (0, {})
    assert (status, refused["error"]["code"]) == (409, "TURN_CANCELLED")
    assert questions(room, "c1") == ["cancelled"]


def test_switched_off_it_says_what_to_do_and_keeps_what_was_said(room):
    room.stop()
    room.config["assistant"]["enabled"] = False
    room.write()
    room.start()
    status, refused = room.command(ASK, content="hello")
    assert (status, refused["error"]["code"]) == (409, "ASSISTANT_NOT_CONFIGURED")
    assert room.get("/api/assistant")["configured"] is False
    assert questions(room, "r1") == ["answered"]
    assert room.processes("groupx_assistant") == []

"""Who is not woken, and what a guard leaves behind: nothing (docs/aig.md, "Guards")."""

import json
import sys

import pytest

from rooms.bus.guards import chain_of
from tests.bus.aig import tree
from tests.bus.waking import Waking


@pytest.fixture
def room(waking: Waking) -> Waking:
    waking.member("codex")
    waking.member("reader", "")
    waking.aig.ok("send", "something to wake for")
    return waking


def guarded(room: Waking, *arguments: str, code: int, **environment: str) -> str:
    """Refused; no process was run and the room is as it was."""
    before = tree(room.aig.home), room.aig.log(), room.aig.cursor("codex")
    said = room.aig.refused(*arguments, code=code, **environment)
    assert (tree(room.aig.home), room.aig.log(), room.aig.cursor("codex")) == before
    assert room.calls == []
    return said


@pytest.mark.parametrize("command", [("wake", "codex"), ("ask", "codex", "Hello?")])
def test_a_chain_ends_at_its_depth_for_everybody(room: Waking, command):
    room.member("boss", role="primary")
    said = guarded(room, *command, code=5, AIGROUP_DEPTH="3")
    assert "AIGROUP_MAX_DEPTH" in said
    guarded(room, *command, "--force-wake", code=5, AIGROUP_DEPTH="3", AIGROUP_NO_WAKE="1")
    guarded(room, *command, code=5, AIGROUP_DEPTH="7", AIGROUP_MEMBER="boss")
    guarded(room, *command, code=5, AIGROUP_DEPTH="1", AIGROUP_MAX_DEPTH="1")


@pytest.mark.parametrize("command", [("wake", "codex"), ("ask", "codex", "Hello?")])
def test_who_was_woken_wakes_nobody(room: Waking, command):
    said = guarded(room, *command, code=5, AIGROUP_NO_WAKE="1", AIGROUP_MEMBER="reader")
    assert "--force-wake" in said


@pytest.mark.parametrize(
    ("value", "may"),
    [("1", False), ("true", False), ("Yes", False), (" ON ", False), ("", True), ("0", True), ("no", True)],
)
def test_the_variable_is_switched_on_by_the_usual_words(value: str, may: bool):
    assert chain_of({"AIGROUP_NO_WAKE": value}).may_not_wake is not may


@pytest.mark.parametrize("command", [("wake", "codex"), ("ask", "codex", "Hello?")])
def test_force_wake_and_the_primary_may(room: Waking, command):
    room.aig.ok(*command, "--force-wake", AIGROUP_NO_WAKE="1", AIGROUP_MEMBER="reader")
    room.member("dsh")
    room.aig.ok("send", "more")
    room.aig.ok(*command, AIGROUP_NO_WAKE="1", AIGROUP_MEMBER="dsh", AIGROUP_DEPTH="2")
    assert [call["env"]["AIGROUP_DEPTH"] for call in room.calls] == ["1", "3"]


def test_dsh_is_the_primary_only_while_nobody_else_is(room: Waking):
    room.member("dsh")
    room.member("boss", role="primary")
    guarded(room, "wake", "codex", code=5, AIGROUP_NO_WAKE="1", AIGROUP_MEMBER="dsh")
    room.aig.ok("wake", "codex", AIGROUP_NO_WAKE="1", AIGROUP_MEMBER="boss")


@pytest.mark.parametrize(
    ("member", "words"), [("nobody", "no member"), ("human", "no member"), ("reader", "no channel")]
)
def test_who_has_no_channel_cannot_be_woken(room: Waking, member, words):
    for command in (("wake", member), ("ask", member, "Hello?")):
        assert words in guarded(room, *command, code=4)


def test_a_channel_that_is_none_and_a_command_that_is_missing_are_told(room: Waking):
    room.member("odd", "telegraph")
    assert "telegraph" in guarded(room, "wake", "odd", code=4)
    for command in (None, "a string", [], [1]):
        room.member("mine", "command", command=command)
        assert "no command" in guarded(room, "ask", "mine", "Hello?", code=4)


def test_the_depth_is_looked_at_before_everything_else(room: Waking):
    guarded(room, "wake", "nobody", code=5, AIGROUP_DEPTH="3", AIGROUP_NO_WAKE="1")
    guarded(room, "wake", "nobody", code=5, AIGROUP_NO_WAKE="1")


@pytest.mark.parametrize("variable", ["AIGROUP_DEPTH", "AIGROUP_MAX_DEPTH"])
@pytest.mark.parametrize("value", ["x", "-1", "1.5", "٣"])
def test_a_depth_that_is_no_number_is_a_usage_error(room: Waking, variable, value):
    assert variable in guarded(room, "wake", "codex", code=2, **{variable: value})


def test_a_woken_member_that_wakes_another_is_stopped_by_its_own_environment(waking: Waking):
    """The chain as it really is: aig wakes dsh, whose CLI runs aig again."""
    for name in ("codex", "opencode"):
        waking.member(name)
    waking.plan(runs=[sys.executable, "-m", "rooms.bus", "wake", "codex"])
    answer = waking.aig.ok("ask", "opencode", "Wake codex, please.")
    assert "5 aig: Nobody is woken: you were woken yourself" in answer
    assert [call["name"] for call in waking.calls] == ["opencode"]
    assert json.loads((waking.aig.room() / "members.json").read_text()).keys() == {"codex", "opencode"}

"""The self-drive: a message of the person wakes whom it is for, once, over restarts (docs/aig.md, "Self-drive")."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from rooms.bus.append import append
from rooms.bus.cursors import advance
from rooms.bus.folder import Home, Room
from rooms.bus.message import Draft, Message
from rooms.bus_page.drive import ANOTHER_SERVER, Drive
from rooms.bus_page.drive_rules import is_settled, whom_to_wake
from rooms.bus_page.switch import Switch, driven_rooms, read_switch, set_switch
from rooms.bus_page.wakes import Ended
from tests.bus.conftest import KNOWN


def say(room: Room, sender: str = "human", **more: Any) -> Message:
    return append(room, Draft(sender, "words", **more))


# ---------------------------------------------------------------- whom
@pytest.mark.parametrize(
    ("more", "woken"),
    [
        ({}, ("boss",)),
        ({"to": ["codex"]}, ("codex",)),
        ({"to": ["codex", "boss"]}, ("codex", "boss")),
        ({"to": ["all"]}, ("boss",)),
        ({"to": ["reader"]}, ()),
        ({"to": ["nobody", "human", "codex"]}, ("codex",)),
        ({"kind": "ask", "to": ["codex"]}, ()),
        ({"sender": "boss"}, ()),
        ({"sender": "boss", "to": ["codex"]}, ()),
        ({"sender": "codex", "to": ["human"], "kind": "reply", "via": "dispatch"}, ()),
    ],
)
def test_only_the_person_wakes_and_only_whom_the_message_is_for(room: Room, more, woken):
    assert whom_to_wake(say(room, more.pop("sender", "human"), **more), KNOWN) == woken


def test_without_a_primary_a_message_to_everybody_wakes_nobody(room: Room):
    assert whom_to_wake(say(room), {"codex": {"transport": "codex"}}) == ()
    assert whom_to_wake(say(room), {"dsh": {"transport": "dsh"}}) == ("dsh",)


@pytest.mark.parametrize(
    ("sender", "more", "settled"),
    [
        ("codex", {"kind": "reply", "via": "dispatch", "meta": {"throughSeq": 1}}, True),
        ("codex", {"kind": "dispatch-error", "via": "dispatch", "meta": {"throughSeq": 1}}, True),
        ("codex", {"kind": "reply", "via": "dispatch", "meta": {"throughSeq": 0}}, False),
        ("codex", {"kind": "chat", "via": "cli", "meta": {"throughSeq": 1}}, False),
        ("boss", {"kind": "reply", "via": "dispatch", "meta": {"throughSeq": 1}}, False),
    ],
)
def test_the_room_tells_whether_a_wake_for_a_message_has_ended(room: Room, sender, more, settled):
    message = say(room, to=["codex"])
    assert is_settled(message, "codex", 0, [say(room, sender, **more)]) is settled
    assert is_settled(message, "codex", message.seq, [])


# ---------------------------------------------------------------- the switch
def test_switched_on_it_begins_with_what_is_written_from_now_on(room: Room):
    say(room)
    assert read_switch(room) == Switch(False, 0)
    assert set_switch(room, is_on=True) == read_switch(room) == Switch(True, 1)
    say(room)
    assert set_switch(room, is_on=True) == Switch(True, 1), "switched on twice, nothing is left out"
    assert [room.name for room in driven_rooms(Home(room.home))] == ["main"]
    set_switch(room, is_on=False)
    assert driven_rooms(Home(room.home)) == []


@pytest.mark.parametrize("content", ["", "{", "[]", '{"isOn": 1, "throughSeq": 1}', '{"isOn": true}'])
def test_a_switch_that_cannot_be_understood_is_off(room: Room, content):
    (room.path / "self-drive.json").write_text(content)
    assert read_switch(room) == Switch()


# ---------------------------------------------------------------- driving, over restarts
class Woken:
    """Wakes that end when the test says so."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._gates: list[asyncio.Event] = []
        self._tasks: list[asyncio.Task[Ended]] = []

    def wake(self, room: Room, member: str) -> asyncio.Task[Ended]:
        self.asked.append(member)
        gate = asyncio.Event()
        self._gates.append(gate)
        self._tasks.append(asyncio.create_task(self._wait(gate)))
        return self._tasks[-1]

    async def _wait(self, gate: asyncio.Event) -> Ended:
        async with asyncio.timeout(5):
            await gate.wait()
        return Ended(0, "")

    async def end(self, index: int) -> None:
        self._gates[index].set()
        await self._tasks[index]

    def cancel(self) -> None:
        for task in self._tasks:
            task.cancel()


@pytest.fixture
def woken() -> Iterator[Woken]:
    woken = Woken()
    yield woken
    woken.cancel()


async def test_a_message_is_done_when_all_its_wakes_have_ended_and_all_before_it(room: Room, woken: Woken):
    drive = Drive(room, Switch(True, 0))
    first, second = say(room, to=["codex", "boss"]), say(room, to=["codex"])
    say(room, "codex")
    drive.begin(drive.look(), woken.wake)
    assert woken.asked == ["codex", "boss", "codex"]
    assert drive.look() == [] and drive.done_through() is None
    await woken.end(2)
    assert drive.done_through() is None
    await woken.end(0)
    await woken.end(1)
    assert drive.done_through() == second.seq + 1 and first.seq < second.seq
    assert drive.done_through() is None
    drive.let_go()


async def test_after_a_crash_only_what_was_not_done_is_done(room: Room, woken: Woken):
    """The server died while three wakes were under way: one has answered, one has failed, of one nothing is known."""
    set_switch(room, is_on=True)
    for to in ("codex", "boss", "codex"):
        say(room, to=[to])
    say(room, "codex", kind="reply", via="dispatch", meta={"throughSeq": 1})
    say(room, "boss", kind="dispatch-error", via="dispatch", meta={"throughSeq": 2})
    drive = Drive(room, read_switch(room))
    drive.begin(drive.look(), woken.wake)
    assert woken.asked == ["codex"]
    assert drive.done_through() == 2
    drive.let_go()


async def test_what_the_member_has_read_by_itself_wakes_it_no_more(room: Room, woken: Woken):
    advance(room, "codex", say(room, to=["codex"]).seq)
    drive = Drive(room, Switch(True, 0))
    drive.begin(drive.look(), woken.wake)
    assert woken.asked == []
    drive.let_go()


def test_a_wake_that_was_cancelled_by_the_end_of_the_server_is_not_done(room: Room):
    async def server() -> None:
        woken = Woken()
        say(room, to=["codex"])
        drive.begin(drive.look(), woken.wake)
        woken.cancel()
        await asyncio.gather(*woken._tasks, return_exceptions=True)
        assert drive.done_through() is None

    drive = Drive(room, Switch(True, 0))
    asyncio.run(server())
    drive.let_go()


def test_two_servers_do_not_drive_one_room_and_the_second_takes_over(room: Room):
    set_switch(room, is_on=True)
    one, other = Drive(room, read_switch(room)), Drive(room, read_switch(room))
    say(room, to=["codex"])
    assert len(one.look()) == 1
    assert other.look() == [] and other.note == ANOTHER_SERVER
    one.remember(1)
    one.let_go()
    say(room, to=["codex"])
    assert [message.seq for message, _ in other.look()] == [2]
    assert other.note is None
    other.let_go()


def test_members_that_cannot_be_read_hold_messages_up_and_lose_none(room: Room):
    drive = Drive(room, Switch(True, 0))
    say(room, to=["codex"])
    kept = room.members.read_text()
    room.members.write_text("{")
    with pytest.raises(Exception, match=r"members\.json"):
        drive.look()
    room.members.write_text(kept)
    assert [members for _, members in drive.look()] == [("codex",)]
    drive.let_go()


def test_a_message_that_can_wake_nobody_says_so(room: Room):
    drive = Drive(room, Switch(True, 0))
    say(room, to=["reader"])
    drive.look()
    assert drive.note is not None and "woke nobody" in drive.note
    say(room, to=["codex"])
    drive.look()
    assert drive.note is None
    drive.let_go()

"""Two agents that always send to each other: they are stopped, nobody else is, and a person may let them go on."""

from tests.agents_talk.talking_room import NAMES, TalkingRoom, Told, call, say
from tests.agents_talk.test_limits import grant, stops


def without_end(room: TalkingRoom) -> Told:
    return room.tell("ada", {"pass_on": ["ada", "ben"]})


def test_two_that_never_stop_are_stopped_while_a_third_goes_on(room):
    told = without_end(room)
    third = room.tell("dan", call("publish", content="I work"), say("and answer"))

    assert third.result()
    assert third.until()["status"] == "completed"
    room.until_quiet(told.root)
    [stop] = stops(room, told.root)
    assert stop["body"]["limit"] == "hopCount"
    assert room.tell("ben", say("and ben is free again")).until()["status"] == "completed"


def test_what_was_stopped_goes_on_after_a_restart_of_everything(room):
    told = without_end(room)
    room.until_quiet(told.root)
    turns = len(room.of_root(told.root, "turn.queued"))
    room.stop()
    room.start()
    for name in NAMES:
        room.until_agent(name, "ready")
    assert len(stops(room, told.root)) == 1
    assert len(room.of_root(told.root, "turn.queued")) == turns

    status, granted = grant(room, told.root, "hopCount")

    assert (status, "messageEventId" in granted) == (202, True)
    room.until_quiet(told.root)
    assert len(room.of_root(told.root, "turn.queued")) > turns
    assert len(stops(room, told.root)) == 2

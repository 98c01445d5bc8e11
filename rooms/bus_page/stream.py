"""The live channels of a bus room on django-eventstream: its messages, whose ids are their seqs, and its state (edge).

Nothing is stored: messages are read from the log, and whoever missed a state is given the present one.
"""

import json
from itertools import count
from urllib.parse import quote

from django_eventstream import send_event
from django_eventstream.event import Event
from django_eventstream.storage import EventDoesNotExist
from django_eventstream.views import get_listener_manager

from rooms.bus.folder import Home, Room
from rooms.bus_page.answers import BusMessage, BusState
from rooms.bus_page.commands import state_of
from rooms.bus_page.queries import last_seq, messages_after
from rooms.envelope import dump

MESSAGES, STATES = "bus.", "bus-state."
RESUMABLE = 1_000
"""A client that missed more messages is told to read the room anew."""

_numbers = count(1)
_last_number = 0


def is_bus_channel(channel: str) -> bool:
    return channel.startswith((MESSAGES, STATES))


def channels_of(room: Room) -> set[str]:
    return {MESSAGES + room.name, STATES + room.name}


def cursor_id(room: Room, after_seq: int) -> str:
    """As the library reads `Last-Event-ID`."""
    return f"{quote(MESSAGES + room.name)}:{after_seq}"


class PageStream:
    """What the desk tells to the pages that are open."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def watched_rooms(self) -> list[Room]:
        """Those that some page shows at this moment."""
        manager = get_listener_manager()
        with manager.lock:
            channels = list(manager.listeners_by_channel)
        return [Room(self._home.path, name.removeprefix(MESSAGES)) for name in channels if name.startswith(MESSAGES)]

    def tell_message(self, room: Room, message: BusMessage) -> None:
        send_event(MESSAGES + room.name, "message", message)

    def tell_state(self, room: Room, state: BusState) -> None:
        send_event(STATES + room.name, "state", state)


# ------------------------------------------------------------ as the library's storage (groupx/event_channels.py)
def appended(channel: str, event_type: str, data: str) -> Event:
    global _last_number
    if channel.startswith(MESSAGES):
        return Event(channel, event_type, data, id=json.loads(data)["seq"])
    _last_number = next(_numbers)
    return Event(channel, event_type, data, id=_last_number)


def events_after(home: Home, channel: str, last_id: int, limit: int) -> list[Event]:
    if channel.startswith(STATES):
        if last_id == _last_number:
            return []
        state = state_of(Room(home.path, channel.removeprefix(STATES)))
        return [Event(channel, "state", dump(state), id=_last_number)]
    room = Room(home.path, channel.removeprefix(MESSAGES))
    newest = last_seq(room)
    if last_id > newest or last_id < newest - RESUMABLE:
        raise EventDoesNotExist("Read the room anew.", newest)
    return [Event(channel, "message", dump(told), id=told["seq"]) for told in messages_after(room, last_id, limit)]


def current_id(home: Home, channel: str) -> int:
    if channel.startswith(STATES):
        return _last_number
    return last_seq(Room(home.path, channel.removeprefix(MESSAGES)))

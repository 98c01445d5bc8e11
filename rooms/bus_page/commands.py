"""What can be done with a bus room from its page. Called in the threads of requests."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from groupx.kernel.errors import ErrorCode, GroupXError, invalid
from rooms.bus import log
from rooms.bus.append import append
from rooms.bus.errors import BusError, UsageError
from rooms.bus.folder import Home, Room
from rooms.bus.members import profiles
from rooms.bus.message import Draft, Message
from rooms.bus_page.answers import BusState, BusWakeAccepted, BusWritten
from rooms.bus_page.desk import Desk, current_desk
from rooms.bus_page.drive_rules import HUMAN, can_be_woken
from rooms.bus_page.queries import room_state
from rooms.bus_page.requests import SwitchSelfDrive, WriteToBus
from rooms.bus_page.switch import set_switch

COMMAND_ID = "clientCommandId"
REMEMBERED = 200
"""Messages from the end among which one is looked for that was sent again because its answer was lost."""
LOOP_SECONDS = 5.0

_writing = threading.Lock()


@contextmanager
def told_as_problems() -> Iterator[None]:
    """Errors of the bus in the shape of this interface."""
    try:
        yield
    except UsageError as error:
        raise invalid(str(error)) from None
    except BusError as error:
        raise GroupXError(ErrorCode.BUS_UNAVAILABLE, str(error)) from None
    except OSError as error:
        raise GroupXError(ErrorCode.BUS_UNAVAILABLE, f"The room's folder cannot be used: {error.strerror}.") from None


def existing_room(home: Home, name: str) -> Room:
    """
    Raises:
        GroupXError: NOT_FOUND.
    """
    try:
        room = home.room(name)
    except UsageError:
        room = None
    if room is None or not room.exists():
        raise GroupXError(ErrorCode.NOT_FOUND, "There is no such room of the file bus.")
    return room


def state_of(room: Room) -> BusState:
    desk = current_desk()
    return desk.state(room) if desk is not None else room_state(room, {}, {})


def expect_page(room: Room) -> None:
    """A page is about to join the room's stream."""
    if (desk := current_desk()) is not None:
        desk.expect_page(room)


def write(room: Room, request: WriteToBus) -> BusWritten:
    """As the person. The same command again gives the same message.

    Raises:
        GroupXError: CLIENT_COMMAND_CONFLICT, BUS_UNAVAILABLE.
    """
    with told_as_problems(), _writing:
        message = _sent_before(room, request) or append(
            room,
            Draft(
                HUMAN,
                request.text,
                to=request.to,
                via="web",
                reply_to=request.reply_to,
                meta={COMMAND_ID: request.client_command_id},
            ),
        )
    if (desk := current_desk()) is not None:
        desk.loop.call_soon_threadsafe(desk.changed, room)
    return {"id": message.id, "seq": message.seq}


def wake(room: Room, member: str) -> BusWakeAccepted:
    """Begin; the room shows how it ends.

    Raises:
        GroupXError: MEMBER_NOT_WAKEABLE, SESSION_NOT_AVAILABLE, BUS_UNAVAILABLE.
    """
    with told_as_problems():
        profile = profiles(room).get(member)
    if not can_be_woken(profile):
        raise GroupXError(
            ErrorCode.MEMBER_NOT_WAKEABLE,
            f"“{member}” has no channel to be woken through. Set one: aig member {member} --transport T",
        )
    desk = _desk()
    return {"member": member, "accepted": _on_loop(desk, _wake(desk, room, member))}


def switch_self_drive(room: Room, request: SwitchSelfDrive) -> BusState:
    """
    Raises:
        GroupXError: SESSION_NOT_AVAILABLE, BUS_UNAVAILABLE.
    """
    desk = _desk()
    with told_as_problems():
        set_switch(room, is_on=request.is_on)
    _on_loop(desk, desk.switched(room))
    return desk.state(room)


def _sent_before(room: Room, request: WriteToBus) -> Message | None:
    for message in log.last(room.log, REMEMBERED):
        if message.sender == HUMAN and message.meta.get(COMMAND_ID) == request.client_command_id:
            if (message.text, list(message.to)) != (request.text, request.to):
                raise GroupXError(
                    ErrorCode.CLIENT_COMMAND_CONFLICT, "This clientCommandId was used for another message."
                )
            return message
    return None


def _desk() -> Desk:
    desk = current_desk()
    if desk is None:
        raise GroupXError(
            ErrorCode.SESSION_NOT_AVAILABLE, "Members are woken by a running room; this one is not served."
        )
    return desk


async def _wake(desk: Desk, room: Room, member: str) -> bool:
    return desk.wake(room, member)


def _on_loop[R](desk: Desk, call: Coroutine[Any, Any, R]) -> R:
    return asyncio.run_coroutine_threadsafe(call, desk.loop).result(LOOP_SECONDS)

"""`aig wake`: run a member's CLI once on what it has not read."""

import signal
from types import FrameType

from adapters.headless.contract import TIMEOUT_SECONDS
from rooms.bus.arguments import Parser, seconds
from rooms.bus.call import Call
from rooms.bus.environment import inherited
from rooms.bus.errors import WakeFailed
from rooms.bus.folder import member_name
from rooms.bus.joining import join
from rooms.bus.wake import Waking, allowed_waking, wake


def add_arguments(parser: Parser) -> None:
    parser.add_argument("member", type=member_name, metavar="MEMBER", help="whom to wake")
    add_waking_arguments(parser)


def add_waking_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--timeout", type=seconds, default=TIMEOUT_SECONDS, metavar="S", help="end its CLI after so many seconds; 600"
    )
    parser.add_argument("--force-wake", action="store_true", help="wake although this process was woken itself")


def run(call: Call) -> None:
    waking = waking_of(call)
    join(call)
    reply = wake(waking)
    if reply is not None:
        call.out.message(reply, call.room)
    else:
        call.out.note(f"Nothing is unread for {waking.member} in room {call.room.name}; it was not woken.")


def waking_of(call: Call) -> Waking:
    """What the guards allow; from now on a signal to end ends the member's CLI too, and tells the room."""
    options = call.options
    waking = allowed_waking(
        call.room,
        options.member,
        caller=call.me,
        timeout_seconds=options.timeout,
        is_forced=options.force_wake,
        env=inherited(),
    )
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    return waking


def _stop(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # once is enough, ending takes its time
    raise WakeFailed(f"The wake was stopped by {signal.Signals(number).name}.")

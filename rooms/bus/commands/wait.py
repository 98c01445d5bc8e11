"""`aig wait`: block until I have something unread, then read it."""

from rooms.bus.arguments import Parser, seconds
from rooms.bus.arrivals import arrivals
from rooms.bus.call import Call
from rooms.bus.commands.read import show, warn_of_corrupt_cursor
from rooms.bus.cursors import advance, cursor_of
from rooms.bus.errors import WaitTimedOut
from rooms.bus.joining import join
from rooms.bus.message import visible_to

DEFAULT_SECONDS = 60.0


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--timeout", type=seconds, default=DEFAULT_SECONDS, metavar="S", help="at most so many seconds; 60"
    )


def run(call: Call) -> None:
    """
    Raises:
        WaitTimedOut: nothing came.
    """
    room, me, timeout_seconds = call.room, call.me, call.options.timeout
    newness = join(call)
    warn_of_corrupt_cursor(call)
    for batch in arrivals(room.log, cursor_of(room, me).seq, timeout_seconds=timeout_seconds):
        call.stay()
        read_to = cursor_of(room, me).seq  # another process of mine may have read meanwhile
        if seq := show(call, (message for message in batch if message.seq > read_to and visible_to(message, me))):
            advance(room, me, seq)
            return
    where = f"room {room.name}{newness}"
    raise WaitTimedOut(f"Nothing came for {me} in {where} within {timeout_seconds:g} s; wait again, or go on.")

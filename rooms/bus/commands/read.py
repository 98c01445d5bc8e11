"""`aig read`: what I have not read, or everything; and my cursor behind it."""

from collections.abc import Iterable
from itertools import islice

from rooms.bus import log
from rooms.bus.arguments import Parser, count
from rooms.bus.call import Call
from rooms.bus.cursors import advance, cursor_of, unread
from rooms.bus.joining import join
from rooms.bus.message import Message


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--peek", action="store_true", help="leave it unread")
    parser.add_argument("--all", action="store_true", help="everything that was ever said, to whomever")
    parser.add_argument("--limit", type=count, metavar="N", help="the oldest N only")


def run(call: Call) -> None:
    options = call.options
    newness = join(call)
    warn_of_corrupt_cursor(call)
    found = log.messages(call.room.log) if options.all else unread(call.room, call.me)
    seq = show(call, islice(found, options.limit))
    if not seq and not call.out.is_json:
        call.out.note(f"Nothing {'' if options.all else f'unread for {call.me} '}in room {call.room.name}{newness}.")
    if seq and not options.peek:
        advance(call.room, call.me, seq)


def show(call: Call, messages: Iterable[Message]) -> int:
    """Print them. The greatest seq among them, 0 for none; the caller moves the cursor, after they were shown."""
    seq = 0
    for message in messages:
        call.out.message(message, call.room)
        seq = max(seq, message.seq)
    call.out.flush()
    return seq


def warn_of_corrupt_cursor(call: Call) -> None:
    if cursor_of(call.room, call.me).is_corrupt:
        call.out.note(f"The cursor of {call.me} in room {call.room.name} cannot be read: it counts as 0.")

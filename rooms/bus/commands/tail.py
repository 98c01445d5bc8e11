"""`aig tail`: the end of the room, and with -f what comes after it. Moves no cursor."""

from rooms.bus import log
from rooms.bus.arguments import Parser, count
from rooms.bus.arrivals import arrivals
from rooms.bus.call import Call
from rooms.bus.commands.read import show

DEFAULT_COUNT = 10


def add_arguments(parser: Parser) -> None:
    parser.add_argument("-f", "--follow", action="store_true", help="go on with what comes; Ctrl-C ends it")
    parser.add_argument("-n", "--lines", type=count, default=DEFAULT_COUNT, metavar="N", help="messages; 10")


def run(call: Call) -> None:
    call.look()
    seq = show(call, log.last(call.room.log, call.options.lines))
    if call.options.follow:
        for batch in arrivals(call.room.log, seq, timeout_seconds=None):
            show(call, batch)
            call.stay()

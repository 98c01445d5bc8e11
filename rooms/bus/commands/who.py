"""`aig who`: who was here, and whether the process that called still runs."""

from rooms.bus.arguments import Parser
from rooms.bus.call import Call
from rooms.bus.folder import printable
from rooms.bus.presence import everyone
from rooms.bus.terminal import local_time


def add_arguments(parser: Parser) -> None:
    pass


def run(call: Call) -> None:
    call.look()
    rows = [("member", "last seen", "pid", "host", "")]
    for here in everyone(call.room):
        if call.out.is_json:
            record = {"member": here.member, "lastSeen": here.last_seen, "pid": here.pid, "host": here.host}
            call.out.record({**record, "alive": here.is_alive})
        state = "alive" if here.is_alive else "gone"
        who, where = printable(here.member), printable(here.host)
        rows.append((who, local_time(here.last_seen), str(here.pid or "–"), where, state))
    if len(rows) > 1 and not call.out.is_json:
        call.out.table(rows)

"""`aig members`: who takes part, and how each is woken."""

from rooms.bus.arguments import Parser
from rooms.bus.call import Call
from rooms.bus.folder import printable
from rooms.bus.members import profiles

COLUMNS = ("transport", "model", "role", "cwd", "note")


def add_arguments(parser: Parser) -> None:
    pass


def run(call: Call) -> None:
    call.look()
    known = profiles(call.room)
    if call.out.is_json:
        for name, profile in known.items():
            call.out.record({"member": name, **profile})
    elif known:
        cells = [(name, *(str(profile.get(column) or "–") for column in COLUMNS)) for name, profile in known.items()]
        call.out.table([("member", *COLUMNS), *([printable(cell) for cell in row] for row in cells)])
    else:
        call.out.note(f"Room {call.room.name} has no members yet; `aig member <name> --transport …` makes one.")

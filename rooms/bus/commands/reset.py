"""`aig reset --yes`: put the log and the cursors aside and start empty."""

from rooms.bus.archive import archive
from rooms.bus.arguments import Parser
from rooms.bus.call import Call
from rooms.bus.errors import UsageError


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--yes", action="store_true", help="really do it")


def run(call: Call) -> None:
    """
    Raises:
        UsageError: nobody said that it is meant.
    """
    if not call.options.yes:
        raise UsageError(f"This archives everything in room {call.room.name}: `aig reset --yes` does it.")
    call.look()
    folder = archive(call.room) if call.room.exists() else None
    if call.out.is_json:
        call.out.record({"room": call.room.name, "archive": str(folder) if folder is not None else None})
    elif folder is None:
        call.out.text(f"Room {call.room.name} is empty; nothing to archive.")
    else:
        call.out.text(f"Room {call.room.name} starts empty; what was in it lies in {folder}.")

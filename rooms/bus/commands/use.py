"""`aig use <room>`: the room that later calls mean."""

from rooms.bus import presence
from rooms.bus.arguments import Parser
from rooms.bus.call import Call
from rooms.bus.joining import make_room


def add_arguments(parser: Parser) -> None:
    parser.add_argument("name", metavar="room")


def run(call: Call) -> None:
    room = call.home.room(call.options.name)
    was_made = make_room(room)
    call.home.use(room)
    presence.touch(room, call.me)
    if call.out.is_json:
        call.out.record({"room": room.name, "created": was_made, "path": str(room.path)})
    else:
        call.out.text(f"{'Made' if was_made else 'In'} room {room.name}: {room.path}")

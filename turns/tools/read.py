"""`read`: what was said and done in the room, and how turns stand (edge)."""

from rooms.transactions import in_reader
from turns.member_answers import RoomRead
from turns.member_requests import ReadRequest
from turns.queries.reading import read_room
from turns.tools.tool import Tool, ToolCall


async def _run(request: ReadRequest, call: ToolCall) -> RoomRead:
    return await in_reader(read_room, request, call.member.turn)


READ = Tool(
    name="read",
    description=(
        "Reads the room's public events and how turns stand; wakes nobody and changes nothing. Without afterSeq the "
        "newest events, with it those after that seq; with correlationId only those of one conversation. Long texts "
        "are cut: read a single event (limit 1) for more of it."
    ),
    request=ReadRequest,
    answer=RoomRead,
    run=_run,
)

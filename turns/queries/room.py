"""The room as a client begins with it."""

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.models import Room
from rooms.queries import epoch, events_before
from rooms.transactions import snapshot
from rooms.vocabulary import MAIN_ROOM
from turns.answers import Bootstrap
from turns.models import Turn
from turns.queries.agents import agent_views
from turns.requests import MAX_TARGETS
from turns.state import Transport

SNAPSHOT_EVENTS = 200


def room_snapshot(limits: Limits, room_id: str = MAIN_ROOM) -> Bootstrap:
    """GET /api/bootstrap: everything a page needs to begin, of one moment; its cost does not grow with the log.

    Raises:
        GroupXError: NOT_FOUND for another room.
    """
    with snapshot():
        room = find_room(room_id)
        recent = events_before(room.last_seq + 1, SNAPSHOT_EVENTS, room_id)
        active = Turn.objects.filter(room=room, ended_at=None).order_by("enqueue_seq")
        return {
            "room": {"roomId": room.room_id, "title": room.title},
            "epoch": epoch(),
            "cursor": room.last_seq,
            "transport": Transport.STRUCTURED.value,
            "limits": {
                "messageCharacters": limits.message_characters,
                "contextCharacters": limits.context_characters,
                "queuePerAgent": limits.queue_per_agent,
                "targets": MAX_TARGETS,
            },
            "agents": [view.wire() for view in agent_views()],
            "activeTurns": [
                {"turnId": turn_id, "targetActorId": target, "status": status, "sourceEventId": source}
                for turn_id, target, status, source in active.values_list(
                    "turn_id", "target_id", "status", "source_event_id"
                )
            ],
            "recentEvents": [event.wire() for event in reversed(recent)],
        }


def find_room(room_id: str) -> Room:
    """
    Raises:
        GroupXError: NOT_FOUND.
    """
    room = Room.objects.filter(room_id=room_id).first()
    if room is None:
        raise GroupXError(ErrorCode.NOT_FOUND, f"There is no room “{room_id}”.")
    return room

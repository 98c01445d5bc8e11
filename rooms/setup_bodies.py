"""What the room is told of its configuration. Pure."""

from .body import Body
from .vocabulary import EventType


class SetupSaved(Body):
    """The configuration file was saved; `GET /api/setup/pending` says what waits for a restart."""

    event_type = EventType.SETUP_SAVED
    restart_required: bool

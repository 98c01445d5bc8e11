"""What clients may ask of the log: the parameters of its GET endpoints, and what every command has. Pure."""

from typing import Annotated, Any, Literal

from pydantic import Field

from groupx.kernel.shapes import FROM_DIGITS, OwnShape, Says, Text

from .vocabulary import MAIN_ROOM

MAX_SEQ = 2**63 - 1
MAX_PAGE = 500
CommandId = Annotated[Text, Field(min_length=1, max_length=128)]
EventId = Annotated[Text, Field(max_length=128)]


class Once(OwnShape):
    """What is done once, however often it is sent."""

    client_command_id: CommandId

    def canonical(self) -> dict[str, Any]:
        """What the receipt's hash covers: as sent."""
        return {name: value for name, value in self.wire().items() if name != "clientCommandId"}


class Command(Once):
    room_id: Literal["room:main"] | None = None


class RoomQuery(OwnShape):
    room_id: Annotated[str, Says(enum=[MAIN_ROOM], description="The main room is the only one.")] = MAIN_ROOM


class HistoryQuery(RoomQuery):
    before_seq: Annotated[
        int, Field(ge=1, le=MAX_SEQ, description="Events before this seq; without it the newest."), FROM_DIGITS
    ] = MAX_SEQ
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE, description="How many at most."), FROM_DIGITS] = 100


class StreamQuery(RoomQuery):
    after_seq: (
        Annotated[
            int,
            Field(ge=0, le=MAX_SEQ, description="The last event the client has; without a cursor from the start."),
            FROM_DIGITS,
        ]
        | None
    ) = None
    epoch: Annotated[str, Says(description="The epoch that the cursor belongs to; empty counts as absent.")] = ""

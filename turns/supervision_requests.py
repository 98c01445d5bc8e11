"""What an observer may ask in its watch turn. The arguments of its two tools are these shapes."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from groupx.kernel.shapes import OwnShape, Says, Text
from turns.member_requests import Content, WaitMs
from turns.requests import CommandId
from turns.state import SteerAction

MAX_REASON_CHARACTERS = 2_000

TurnId = Annotated[Text, Field(max_length=64)]


class WatchUntil(StrEnum):
    NEXT_MILESTONE = "next_milestone"
    TERMINAL = "terminal"


class WatchRequest(OwnShape):
    until: Annotated[
        WatchUntil,
        Field(description="next_milestone: the next thing that happens; terminal: the end of the watched turn."),
    ]
    subject_turn_id: Annotated[
        TurnId | None, Field(description="One of the turns you watch; without it the one that runs now.")
    ] = None
    after_seq: Annotated[
        int | None, Field(ge=0, description="nextAfterSeq of your last watch; what came since then is told at once.")
    ] = None
    timeout_ms: Annotated[WaitMs | None, Field(description="How long to wait at the most.")] = None


class SteerRequest(OwnShape):
    action: Annotated[
        SteerAction,
        Field(
            description="nudge: your guidance becomes the worker's next turn, after the present one; interrupt: the "
            "present turn is cancelled first."
        ),
    ]
    reason: Annotated[
        Text,
        Field(min_length=1),
        Says(maxLength=MAX_REASON_CHARACTERS),
        Field(max_length=MAX_REASON_CHARACTERS, description="Why, for everybody to read."),
    ]
    content: Annotated[Content, Field(description="Your guidance: the message of the worker's new turn.")]
    subject_turn_id: Annotated[
        TurnId | None, Field(description="One of the turns you watch; without it the one that runs now.")
    ] = None
    client_command_id: CommandId

    def canonical(self) -> dict[str, Any]:
        return {
            "action": self.action.value,
            "reason": self.reason,
            "content": self.content,
            "subjectTurnId": self.subject_turn_id,
        }

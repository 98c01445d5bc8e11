"""What an observer may ask in its watch turn. The arguments of its two tools are these shapes."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from groupx.kernel.shapes import OwnShape, Text
from rooms.requests import MAX_SEQ, CommandId
from turns.member_requests import Content, WaitMs
from turns.state import SteerAction

MAX_REASON_CHARACTERS = 2_000

FROM_ITS_NAME = Field(strict=False)
SubjectTurnId = Annotated[
    Text, Field(max_length=64, description="One of the turns you watch; without it the one that runs now.")
]


class WatchUntil(StrEnum):
    NEXT_MILESTONE = "next_milestone"
    TERMINAL = "terminal"


class WatchRequest(OwnShape):
    until: Annotated[
        WatchUntil,
        FROM_ITS_NAME,
        Field(description="next_milestone: the next thing that happens; terminal: the end of the watched turn."),
    ]
    subject_turn_id: SubjectTurnId | None = None
    after_seq: (
        Annotated[
            int,
            Field(ge=0, le=MAX_SEQ, description="nextAfterSeq of your last watch: what came since is told at once."),
        ]
        | None
    ) = None
    timeout_ms: Annotated[WaitMs, Field(description="How long to wait at the most.")] | None = None


class SteerRequest(OwnShape):
    action: Annotated[
        SteerAction,
        FROM_ITS_NAME,
        Field(
            description="nudge: your guidance is the worker's next turn, after its present one; interrupt: its present "
            "turn is cancelled first."
        ),
    ]
    reason: Annotated[
        Text, Field(min_length=1, max_length=MAX_REASON_CHARACTERS, description="Why, for everybody to read.")
    ]
    content: Annotated[Content, Field(description="Your guidance: the message of the worker's new turn.")]
    subject_turn_id: SubjectTurnId | None = None
    client_command_id: CommandId

    def canonical(self) -> dict[str, Any]:
        return {
            "action": self.action.value,
            "reason": self.reason,
            "content": self.content,
            "subjectTurnId": self.subject_turn_id,
        }

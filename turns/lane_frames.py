"""The frames between a lane and the server: JSON text over the lane's WebSocket, one frame a message. Pure.

The database is the truth and the socket only makes things fast and live: a frame that is lost costs a delay
or a live delta, never a turn.
"""

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field, TypeAdapter

from groupx.kernel.shapes import OwnShape
from rooms.envelope import ActorRef
from rooms.live_turn import DeltaKind, LiveTurn, Spoken
from rooms.vocabulary import EventType

SECRET_HEADER = "X-GroupX-Lane"
BAD_SECRET_CLOSE_CODE = 4403
MAX_FRAME_BYTES = 8 * 1024 * 1024
"""Room for a `turn` frame with both texts at their bound (rooms/text_so_far.py), every character escaped."""


class FrameActor(OwnShape):
    actor_id: str
    display_name: str
    instance_id: str | None = None

    @classmethod
    def of(cls, actor: ActorRef) -> "FrameActor":
        return cls(actor_id=actor.actor_id, display_name=actor.display_name, instance_id=actor.instance_id)

    def ref(self) -> ActorRef:
        return ActorRef(actor_id=self.actor_id, display_name=self.display_name, instance_id=self.instance_id)


# ---------------------------------------------------------------- lane to server
class HelloFrame(OwnShape):
    """First on every connection, and again when the agent's process changes."""

    type: Literal["hello"] = "hello"
    instance_id: str | None = None
    pid: int
    version: str


class TurnFrame(OwnShape):
    """A turn begins to run, or its lane has connected again: with the text so far, as far as it is shown, and the
    length of the whole.

    `chunkIndex` and `reasoningIndex` are the numbers that the next deltas will have.
    """

    type: Literal["turn"] = "turn"
    turn_id: str
    actor: FrameActor
    correlation_id: str
    root_correlation_id: str
    text: str = ""
    text_length: int = 0
    chunk_index: int = 0
    reasoning: str = ""
    reasoning_length: int = 0
    reasoning_index: int = 0

    def live_turn(self) -> LiveTurn:
        return LiveTurn(
            turn_id=self.turn_id,
            actor=self.actor.ref(),
            correlation_id=self.correlation_id,
            root_correlation_id=self.root_correlation_id,
        )

    def spoken(self) -> tuple[Spoken, Spoken]:
        """Content and reasoning."""
        return (
            Spoken(text=self.text, length=self.text_length, next_chunk=self.chunk_index),
            Spoken(text=self.reasoning, length=self.reasoning_length, next_chunk=self.reasoning_index),
        )


class DeltaFrame(OwnShape):
    """Text since the last delta of this kind and turn; numbered from 0 per kind.

    `fullLength` once there is more text than is shown: the characters of all of it.
    """

    type: Literal["delta"] = "delta"
    turn_id: str
    kind: DeltaKind
    chunk_index: int
    text: str
    full_length: int | None = None


class TransientFrame(OwnShape):
    """A live event that is no delta: tool.progress, turn.progress, adapter.heartbeat, session.retrying.

    `occurredAt` is the lane's time, so that a report told again after a reconnect is as old as it is.
    """

    type: Literal["transient"] = "transient"
    turn_id: str | None = None
    event: EventType
    body: dict[str, Any]
    actor: FrameActor
    correlation_id: str
    occurred_at: AwareDatetime


class CommittedFrame(OwnShape):
    """The lane committed events up to this seq."""

    type: Literal["committed"] = "committed"
    seq: int


class StatusFrame(OwnShape):
    """What the agent's card shows has changed in the database."""

    type: Literal["status"] = "status"


class AskedFrame(OwnShape):
    """The lane has asked something of this agent, in the database: its lane is to look."""

    type: Literal["asked"] = "asked"
    actor_id: str


class StoreFailedFrame(OwnShape):
    """The lane could not write to the database, whose words are the reason."""

    type: Literal["store_failed"] = "store_failed"
    reason: str


class FlushFrame(OwnShape):
    """Answered by `flushed` when everything sent before is on its way to the readers."""

    type: Literal["flush"] = "flush"
    turn_id: str


class EndFrame(OwnShape):
    """Nothing more will be told of this turn."""

    type: Literal["end"] = "end"
    turn_id: str


type LaneFrame = Annotated[
    HelloFrame
    | TurnFrame
    | DeltaFrame
    | TransientFrame
    | CommittedFrame
    | StatusFrame
    | AskedFrame
    | StoreFailedFrame
    | FlushFrame
    | EndFrame,
    Field(discriminator="type"),
]


# ---------------------------------------------------------------- server to lane
class WakeFrame(OwnShape):
    """There is probably a turn to claim."""

    type: Literal["wake"] = "wake"


class CancelFrame(OwnShape):
    type: Literal["cancel"] = "cancel"
    turn_id: str


class OrdersFrame(OwnShape):
    """Something is asked of the lane: its row in the database says what."""

    type: Literal["orders"] = "orders"


class CallsFrame(OwnShape):
    """A call of this turn to one of the room's tools has begun or ended: so many are under way now."""

    type: Literal["calls"] = "calls"
    turn_id: str
    open_calls: int


class FlushedFrame(OwnShape):
    type: Literal["flushed"] = "flushed"
    turn_id: str


type ServerFrame = Annotated[
    WakeFrame | CancelFrame | OrdersFrame | CallsFrame | FlushedFrame, Field(discriminator="type")
]

_LANE: TypeAdapter[LaneFrame] = TypeAdapter(LaneFrame.__value__)
_SERVER: TypeAdapter[ServerFrame] = TypeAdapter(ServerFrame.__value__)


def encode(frame: OwnShape) -> str:
    return frame.model_dump_json(by_alias=True, exclude_none=True)


def decode_lane_frame(text: str | bytes) -> LaneFrame:
    """
    Raises:
        pydantic.ValidationError: no frame of ours.
    """
    return _LANE.validate_json(text)


def decode_server_frame(text: str | bytes) -> ServerFrame:
    """
    Raises:
        pydantic.ValidationError: no frame of ours.
    """
    return _SERVER.validate_json(text)

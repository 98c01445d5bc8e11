"""What the server hears of an answer while it grows: its text, and which tools are used. Nothing of it is kept."""

from adapters.contract import NativeEvent, TextDelta, ToolEvent
from rooms.bodies import ToolProgress
from rooms.envelope import ActorRef
from turns.lane_link import LaneLink
from turns.native_turn import TurnHooks


def answer_hooks(command_id: str, link: LaneLink, actor: ActorRef) -> TurnHooks:
    """Of the question with this id. What was said of an answer that never came is not kept."""

    async def started(native_turn_id: str | None) -> None:
        pass

    async def save_partial(text: str) -> bool:
        return True

    def tell(event: NativeEvent) -> None:
        match event:
            case TextDelta(text):
                link.content(command_id, text)
            case ToolEvent():
                body = ToolProgress(
                    turn_id=command_id,
                    native_type=event.phase.value,
                    tool_call_id=event.tool_call_id,
                    name=event.name,
                    status=event.status.value,
                    details={"title": event.details["title"]} if "title" in event.details else {},
                )
                link.transient(body, actor=actor, correlation_id=command_id)
            case _:
                pass

    return TurnHooks(started=started, save_partial=save_partial, tell=tell, heartbeat=lambda quiet_seconds: None)

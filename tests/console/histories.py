"""Envelopes as the room writes them, made from the real bodies, and snapshots as the bootstrap would give them."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from rooms.bodies import (
    Body,
    ContextReset,
    IdentityRemembered,
    IdentityRetracted,
    IdentitySuperseded,
    MemoryRemembered,
    MemoryRetracted,
    MemorySuperseded,
    MessageCreated,
    NamedTurn,
    OperatorDispatch,
    RoutingLoopReleased,
    RoutingLoopStopped,
    ScopeTold,
    SessionFailed,
    SessionReady,
    SessionResumed,
    SessionStarted,
    SessionStarting,
    SessionStopped,
    SupervisionBrief,
    SupervisionObserved,
    SupervisionPaired,
    SupervisionSteered,
    SystemFailure,
    ToolProgressRecorded,
    TurnCancelled,
    TurnCompleted,
    TurnDispatched,
    TurnFailed,
    TurnInterrupted,
    TurnQueued,
    TurnReasoningRecorded,
    TurnStarted,
    UsageTold,
)
from rooms.envelope import ActorRef, Envelope
from rooms.operator_bodies import Operation
from rooms.vocabulary import SourceKind

ASSISTANT = ActorRef(actor_id="user:assistant", display_name="Assistant")
USER = ActorRef(actor_id="user:web", display_name="You")
SYSTEM = ActorRef(actor_id="system:groupx", display_name="GroupX")
BUILDER = ActorRef(actor_id="agent:builder", display_name="Builder")
REVIEWER = ActorRef(actor_id="agent:reviewer", display_name="Reviewer")
BEGAN_AT = datetime(2026, 11, 30, 10, 41, tzinfo=UTC)
TERMINALS = {"turn.completed", "turn.failed", "turn.cancelled", "turn.interrupted"}
STATUSES = {"turn.queued": "queued", "turn.dispatched": "dispatching", "turn.started": "running"}


@dataclass
class History:
    """A log that grows; every event comes one second after the one before."""

    events: list[dict[str, Any]] = field(default_factory=list)
    _transients: int = 0

    def add(self, body: Body, actor: ActorRef = SYSTEM, **more: Any) -> dict[str, Any]:
        seq = len(self.events) + 1
        event = self._envelope(body, actor, seq, f"evt_{seq}", **more)
        self.events.append(event)
        return event

    def tell(self, body: Body, actor: ActorRef = BUILDER) -> dict[str, Any]:
        """A transient event; it is not kept."""
        self._transients += 1
        return self._envelope(body, actor, None, f"evt_live_{self._transients}")

    def _envelope(self, body: Body, actor: ActorRef, seq: int | None, event_id: str, **more: Any) -> dict[str, Any]:
        return Envelope(
            event_id=event_id,
            seq=seq,
            type=body.event_type.value,
            actor=actor,
            correlation_id="corr_1",
            root_correlation_id="corr_1",
            occurred_at=BEGAN_AT + timedelta(seconds=len(self.events) + self._transients),
            body=body.wire(),
            source_kind=SourceKind.WEB,
            **more,
        ).wire()

    def ask(self, turn_id: str, text: str = "Make it so.") -> dict[str, Any]:
        message = self.add(MessageCreated(content=text), USER, to=("agent:builder",))
        self.add(TurnQueued(turn_id=turn_id, target_actor_id="agent:builder"), causation_id=message["eventId"])
        return message

    def start(self, turn_id: str, attempt_id: str = "att_1") -> None:
        turn = {"turn_id": turn_id, "target_actor_id": "agent:builder", "attempt_id": attempt_id}
        self.add(TurnDispatched(**turn), causation_id=turn_id)
        self.add(TurnStarted(**turn), causation_id=turn_id)

    def snapshot(self, at_seq: int | None = None, newest: int = 200) -> dict[str, Any]:
        """What the bootstrap gives when the log ends at `at_seq`."""
        events = self.events[:at_seq]
        active: dict[str, dict[str, str]] = {}
        sources: dict[str, str] = {}
        for event in events:
            turn_id = event["body"].get("turnId")
            if event["type"] in TERMINALS:
                active.pop(turn_id, None)
            elif status := STATUSES.get(event["type"]):
                sources.setdefault(turn_id, sources.get(event["causationId"], event["causationId"]))
                active[turn_id] = {
                    "turnId": turn_id,
                    "targetActorId": event["body"]["targetActorId"],
                    "status": status,
                    "sourceEventId": sources[turn_id],
                }
        return {
            "cursor": len(events),
            "agents": [{"actorId": "agent:builder", "displayName": "Builder"}],
            "activeTurns": list(active.values()),
            "recentEvents": events[-newest:] if newest else [],
        }


def a_day_in_the_room() -> History:
    """Every durable event type at least once, as the room would write them."""
    room = History()
    for session in (
        SessionStarting(actor_id="agent:builder"),
        SessionReady(actor_id="agent:builder", agent_name="Bob"),
        SessionResumed(actor_id="agent:builder"),
    ):
        room.add(session, BUILDER)
    question = room.ask("turn_done")
    room.start("turn_done")
    room.add(TurnReasoningRecorded(turn_id="turn_done", content="Hm.", terminal_status="completed"), BUILDER)
    for native_type, status in (("tool.started", "running"), ("tool.completed", "completed")):
        room.add(
            ToolProgressRecorded(
                turn_id="turn_done",
                native_type=native_type,
                tool_call_id="call_1",
                name="rg",
                status=status,
                details={"title": "rg lease"} if status == "running" else {"output": "one line"},
            ),
            BUILDER,
        )
    room.add(MessageCreated(content="Done.", turn_id="turn_done"), BUILDER, reply_to_event_id=question["eventId"])
    done = {"turn_id": "turn_done", "target_actor_id": "agent:builder", "attempt_id": "att_1"}
    room.add(TurnCompleted(**done, usage=UsageTold(total_tokens=7, cost_usd=0.5)), BUILDER)
    room.ask("turn_failed")
    room.start("turn_failed")
    room.add(
        TurnFailed(
            turn_id="turn_failed",
            target_actor_id="agent:builder",
            attempt_id="att_1",
            error_code="NATIVE_ERROR",
            message="It broke.",
            hint="Mend it.",
            partial_text="Hal",
        ),
        BUILDER,
    )
    room.add(TurnQueued(turn_id="turn_again", target_actor_id="agent:builder"), causation_id="turn_failed")
    room.start("turn_again")
    room.add(TurnInterrupted(turn_id="turn_again", target_actor_id="agent:builder", attempt_id="att_1"), BUILDER)
    room.ask("turn_cancelled")
    room.add(TurnCancelled(turn_id="turn_cancelled", target_actor_id="agent:builder"))
    room.add(SessionStarted(actor_id="agent:builder", context_lost=True, message="It forgot."), BUILDER)
    room.add(SessionStopped(actor_id="agent:builder"), BUILDER)
    room.add(SessionFailed(actor_id="agent:builder", error_code="NATIVE_EXITED", message="It left."), BUILDER)
    room.add(SystemFailure(error_code="STORE_UNAVAILABLE", message="No disk."))
    a_watched_turn(room)
    a_stopped_loop(room)
    remembered(room)
    a_context_begun_anew(room)
    work_without_a_message(room)
    room.ask("turn_running")
    room.start("turn_running")
    room.ask("turn_waiting")
    return room


def a_watched_turn(room: History) -> None:
    """Reviewer watches Builder, and interrupts it."""
    task = room.ask("turn_watched")
    watched = (NamedTurn(turn_id="turn_watched", target_actor_id="agent:builder"),)
    brief = room.add(
        SupervisionBrief(content="Watch it.", task_event_id=task["eventId"], workers=watched), to=("agent:reviewer",)
    )
    watch = {"turn_id": "turn_watch", "target_actor_id": "agent:reviewer"}
    room.add(TurnQueued(**watch), causation_id=brief["eventId"])
    room.add(
        SupervisionPaired(
            mode="live_steer",
            task_event_id=task["eventId"],
            watch_event_id=brief["eventId"],
            workers=watched,
            watchers=(NamedTurn(**watch),),
        )
    )
    room.start("turn_watched")
    room.add(TurnDispatched(**watch, attempt_id="att_w"), causation_id="turn_watch")
    room.add(TurnStarted(**watch, attempt_id="att_w"), REVIEWER, causation_id="turn_watch")
    about = {"watch_turn_id": "turn_watch", "subject_turn_id": "turn_watched", "target_actor_id": "agent:builder"}
    room.add(SupervisionObserved(**about), REVIEWER)
    guidance = room.add(MessageCreated(content="Plan first."), REVIEWER, to=("agent:builder",))
    steered = room.add(
        SupervisionSteered(
            **about,
            action="interrupt",
            reason="Wrong way.",
            message_event_id=guidance["eventId"],
            next_turn_id="turn_guided",
            steers=1,
        ),
        REVIEWER,
    )
    guided = {"turn_id": "turn_guided", "target_actor_id": "agent:builder"}
    room.add(TurnQueued(**guided), causation_id=steered["eventId"])
    ended = {"turn_id": "turn_watched", "target_actor_id": "agent:builder", "attempt_id": "att_1"}
    room.add(TurnCancelled(**ended, error_code="TURN_CANCELLED"), BUILDER)


def remembered(room: History) -> None:
    """Reviewer keeps something for the room and Builder something of itself; both change, both go again."""
    memory = {"kind": "fact", "scope": ScopeTold(type="room", id="room:main")}
    room.add(MemoryRemembered(memory_id="mem_1", **memory), REVIEWER)
    room.add(MemorySuperseded(memory_id="mem_2", supersedes="mem_1", **memory), REVIEWER)
    room.add(MemoryRetracted(memory_id="mem_2", **memory), USER)
    identity = {"kind": "preference", "subject_actor_id": "agent:builder"}
    room.add(IdentityRemembered(identity_id="idn_1", **identity), BUILDER)
    room.add(IdentitySuperseded(identity_id="idn_2", supersedes="idn_1", **identity), BUILDER)
    room.add(IdentityRetracted(identity_id="idn_2", **identity), USER)


def work_without_a_message(room: History) -> None:
    """The assistant gives Builder work."""
    work = OperatorDispatch(
        content="Look at it.", operation=Operation.WORKER_DISPATCH, prompt_length=11, targets=("agent:builder",)
    )
    event = room.add(work, ASSISTANT, to=("agent:builder",))
    room.add(TurnQueued(turn_id="turn_work", target_actor_id="agent:builder"), causation_id=event["eventId"])


def a_context_begun_anew(room: History) -> None:
    """A person resets the context, over a summary."""
    room.add(ContextReset(reset_through_seq=2, superseded_summary_through_seq=2), USER)


def a_stopped_loop(room: History, *, is_released: bool = True) -> dict[str, Any]:
    """Builder is stopped from calling Reviewer once more, and let go on; gives the stop."""
    room.ask("turn_chatty")
    room.start("turn_chatty")
    stop = room.add(
        RoutingLoopStopped(
            error_code="ROOT_TURN_LIMIT_REACHED",
            limit="rootTurns",
            maximum=48,
            actor_id="agent:builder",
            targets=["agent:reviewer"],
            turn_id="turn_chatty",
            message="Enough.",
            hint="“Let them go on” sends it.",
            excerpt="Once more?",
        )
    )
    if is_released:
        room.add(
            RoutingLoopReleased(stopped_event_id=stop["eventId"], limit="rootTurns", maximum=96, message="Go on."), USER
        )
        room.add(MessageCreated(content="Once more?"), BUILDER, to=("agent:reviewer",))
    return stop

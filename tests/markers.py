"""A room in which everything that no agent may be given as context has a word of its own (docs/context.md).

Whoever writes prompts (for turns, summaries, days) is given this room in a test and must carry none of the words.
"""

from dataclasses import dataclass

from assistant.actions.ask_question import ask_question
from assistant.actions.end_question import end_question
from assistant.actions.take_over import take_over
from assistant.actions.take_question import take_question
from assistant.state import QuestionEnd, QuestionState
from groupx.kernel.clock import Clock
from rooms.actions.bind_session import record_session_failure
from rooms.actions.record_failure import append_failure
from rooms.bodies import SessionFailed, SystemFailure
from rooms.models import Event
from rooms.transactions import durable
from rooms.vocabulary import CONTEXT_TYPES
from tests import given
from tests.memory import rooms_context
from tests.turns.supervising import watched
from turns.actions.deliver_turn import save_partial_text
from turns.actions.recover_turns import recover_turns, take_lane
from turns.recording import ToolRecord
from turns.settlement import TurnOutcome
from turns.state import TurnStatus

MARK = "marker"
"""All words of what is hidden begin so; the hidden events are looked for by their ids as well."""
SAID = ("the first question", "the first answer", "the watched task", "the guidance")
"""What the same room has said behind its reset, oldest first."""
KEPT = "kept by the room"
"""A memory: for turns, and for no summary and no day."""


@dataclass(frozen=True, kw_only=True)
class MarkedRoom:
    """What was done in it."""

    before_the_reset: str
    """The id of a message that no context has any more."""

    def hidden_in(self, *prompts: str) -> list[str]:
        """What these prompts carry and may not."""
        hidden = Event.objects.exclude(type__in=CONTEXT_TYPES).values_list("event_id", flat=True)
        assert hidden, "the room has such events"
        words = [MARK, *hidden, self.before_the_reset]
        return [word for word in words if any(word in prompt.lower() for prompt in prompts)]

    def events_to_reply_to(self) -> list[str]:
        """One of each type that is no context: a reply to it does not pull it in."""
        found = dict(Event.objects.exclude(type__in=CONTEXT_TYPES).order_by("-seq").values_list("type", "event_id"))
        return list(found.values())


def a_marked_room(*, clock: Clock) -> MarkedRoom:
    """Builder, Reviewer and Scribe have worked, failed, been watched, and kept things. Nothing runs or waits."""
    before = given.sent(given.a_message("scribe", content=f"{MARK} before the reset"), clock=clock)
    given.worked_off("scribe", clock=clock, outcome=_answered(f"{MARK} answered before the reset"))
    rooms_context.reset(clock=clock)
    _work(clock)
    _fail(clock)
    _supervise(clock)
    _keep(clock)
    _tell(clock)
    _speak_beside_the_room(clock)
    return MarkedRoom(before_the_reset=before.result["messageEventId"])


def _answered(text: str, **more: object) -> TurnOutcome:
    return TurnOutcome(status=TurnStatus.COMPLETED, text=text, **more)  # type: ignore[arg-type]


def _work(clock: Clock) -> None:
    """A turn that reasons and uses tools."""
    given.queued_turn("builder", clock=clock, content=SAID[0])
    tools = [
        ToolRecord(
            native_type=f"tool.{phase}",
            tool_call_id=f"{MARK}-call",
            name=f"{MARK}-tool",
            status=phase,
            details={"title": f"{MARK} title", "input": {"path": MARK}, "output": f"{MARK} output", "diff": MARK},
        )
        for phase in ("started", "completed")
    ]
    outcome = _answered(SAID[1], reasoning=f"{MARK} reasoning", tools=tools, stop_reason=f"{MARK}_stop")
    given.worked_off("builder", outcome, clock=clock)


def _fail(clock: Clock) -> None:
    """Turns that end without an answer, with what they had said by then: told, or left by a worker that died."""
    for status in (TurnStatus.FAILED, TurnStatus.CANCELLED, TurnStatus.INTERRUPTED):
        given.queued_turn("builder", clock=clock, content="the first question")
        outcome = TurnOutcome(status=status, text=f"{MARK} half", message=f"{MARK} why", hint=f"{MARK} hint")
        given.worked_off("builder", outcome, clock=clock)
    claimed = given.running_turn("builder", clock=clock, content="the first question")
    save_partial_text(claimed.attempt_id, "lane", f"{MARK} piece")
    take_lane("agent:builder", "another lane", 2, clock=clock)
    recover_turns(given.agent("builder"), clock=clock)


def _supervise(clock: Clock) -> None:
    """Reviewer watches Builder, steers it, and both come to an end."""
    scene = watched(clock=clock, content=SAID[2])
    scene.steer("interrupt", reason=f"{MARK} reason", content=SAID[3])
    ended = TurnOutcome(status=TurnStatus.CANCELLED, message=f"{MARK} redirected")
    given.end_turn(scene.worker_turn_id, "builder", ended, clock=clock)
    given.end_turn(scene.watch_turn_id, "reviewer", TurnOutcome(status=TurnStatus.FAILED), clock=clock)
    given.worked_off("builder", TurnOutcome(status=TurnStatus.FAILED), clock=clock)


def _keep(clock: Clock) -> None:
    given.remembered(KEPT, clock=clock)
    given.superseded(given.remembered(f"{MARK} superseded", clock=clock), KEPT, clock=clock)
    given.retracted(given.remembered(f"{MARK} retracted", clock=clock), clock=clock)
    given.identified("agent:scribe", "Scribe writes.", clock=clock)


def _tell(clock: Clock) -> None:
    """Failures of sessions and of the room itself."""
    failed = SessionFailed(actor_id="agent:scribe", error_code="NATIVE_EXITED", message=f"{MARK} died", hint=MARK)
    record_session_failure(given.agent("scribe"), failed, clock=clock)
    durable(append_failure)(SystemFailure(error_code="STORE_UNAVAILABLE", message=f"{MARK} disk"), clock=clock)


def _speak_beside_the_room(clock: Clock) -> None:
    """The person speaks with the assistant: one question is answered, one fails, one waits."""
    take_over("brain", "handle", driver="acp", cwd=f"/{MARK}", pid=1, clock=clock)
    answered = QuestionEnd(state=QuestionState.ANSWERED, answer=f"{MARK} answered beside")
    failed = QuestionEnd(state=QuestionState.FAILED, error_code="NATIVE_EXITED", message=f"{MARK} died beside")
    for command_id, end in (("answered", answered), ("failed", failed)):
        ask_question(command_id, f"{MARK} asked beside", clock=clock)
        take_question("brain", clock=clock)
        end_question(command_id, "brain", end, clock=clock)
    ask_question("waits", f"{MARK} waits beside", clock=clock)

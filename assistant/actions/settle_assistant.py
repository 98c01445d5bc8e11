"""A run begins, or a room begins again from a backup: what the brain of before left behind."""

from assistant.actions.end_question import end_open_questions
from assistant.models import AssistantBrain
from assistant.state import BrainStatus, QuestionEnd, QuestionState
from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode
from rooms.transactions import durable

SWITCHED_OFF = QuestionEnd(
    state=QuestionState.FAILED,
    error_code=ErrorCode.ASSISTANT_NOT_CONFIGURED.value,
    message="The assistant was switched off before it had answered.",
)
RESTORED = QuestionEnd(
    state=QuestionState.FAILED,
    error_code=ErrorCode.ROOM_RESTORED.value,
    message="The room was restored from a backup before this was answered. It may have been since: look before you "
    "ask again.",
)


@durable
def expect_brain(*, is_enabled: bool, clock: Clock) -> None:
    """At the start of a run. Questions wait for its brain; in a run without one they have failed."""
    if not is_enabled:
        end_open_questions(SWITCHED_OFF, QuestionState.WAITING, QuestionState.RUNNING, clock=clock)
    status = BrainStatus.STARTING if is_enabled else BrainStatus.STOPPED
    AssistantBrain.objects.update(
        status=status.value, status_text="", last_error=None, handle_hash=None, pid=None, changed_at=clock.now()
    )


@durable
def settle_restored_assistant(*, clock: Clock) -> None:
    """Nothing is asked by itself, and the brain starts afresh."""
    end_open_questions(RESTORED, QuestionState.WAITING, QuestionState.RUNNING, clock=clock)
    AssistantBrain.objects.update(
        status=BrainStatus.STOPPED.value,
        status_text="",
        last_error=None,
        token="",
        handle_hash=None,
        pid=None,
        native_session_id="",
        changed_at=clock.now(),
    )

"""A brain's process begins: it alone writes from now on, and what its forerunner left open has ended."""

from assistant.actions.end_question import end_open_questions
from assistant.models import AssistantBrain
from assistant.state import BrainStatus, QuestionEnd, QuestionState
from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode
from groupx.kernel.ids import handle_hash
from rooms.transactions import durable

DIED = QuestionEnd(
    state=QuestionState.FAILED,
    error_code=ErrorCode.TURN_INTERRUPTED.value,
    message="The assistant ended before it had answered.",
    hint="It is never asked twice by itself: ask again if you still want it.",
)


@durable
def take_over(token: str, handle: str, *, driver: str, cwd: str, pid: int, clock: Clock) -> str:
    """Gives the native session to resume; nothing when there is none in this folder with this driver."""
    brain, _ = AssistantBrain.objects.get_or_create(id=1)
    resumed = brain.native_session_id if (brain.driver, brain.cwd) == (driver, cwd) else ""
    brain.token, brain.handle_hash, brain.pid = token, handle_hash(handle), pid
    brain.driver, brain.cwd, brain.native_session_id = driver, cwd, resumed
    brain.status, brain.status_text, brain.last_error = BrainStatus.STARTING.value, "", None
    brain.changed_at = clock.now()
    brain.save()
    end_open_questions(DIED, QuestionState.RUNNING, clock=clock)
    return resumed

"""The brain takes the oldest question that waits."""

from dataclasses import dataclass

from assistant.actions.show_brain import own_brain
from assistant.models import AssistantMessage
from assistant.state import BrainStatus, QuestionState, Role
from groupx.kernel.clock import Clock
from rooms.transactions import durable_to_disk


@dataclass(frozen=True, kw_only=True)
class TakenQuestion:
    client_command_id: str
    content: str


@durable_to_disk
def take_question(token: str, *, clock: Clock) -> TakenQuestion | None:
    """None when none waits. From now on the brain may have acted on it, whatever becomes of the process.

    Raises:
        GroupXError: STORE_CONFLICT when another process is the brain now.
    """
    brain = own_brain(token)
    question = (
        AssistantMessage.objects.filter(role=Role.USER.value, state=QuestionState.WAITING.value).order_by("id").first()
    )
    if question is None:
        return None
    question.state, question.brain_token = QuestionState.RUNNING.value, token
    question.runs, question.taken_at = question.runs + 1, clock.now()
    question.save()
    brain.status, brain.status_text, brain.changed_at = BrainStatus.WORKING.value, "", clock.now()
    brain.save()
    return TakenQuestion(client_command_id=question.client_command_id, content=question.content)

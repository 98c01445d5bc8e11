"""The person does not want an answer any more."""

from assistant.actions.end_question import CANCELLED, give_up
from assistant.models import AssistantMessage
from assistant.state import QuestionState, Role
from groupx.kernel.clock import Clock
from rooms.transactions import durable


@durable
def cancel_question(client_command_id: str | None, *, clock: Clock) -> str | None:
    """One that waits is over at once; the brain is to stop one that runs. Without an id the one that runs is meant, or
    else the first that waits.

    Gives the id of what was stopped; None when there was nothing to stop: it is unknown, or over.
    """
    open_questions = AssistantMessage.objects.filter(
        role=Role.USER.value, state__in=[QuestionState.RUNNING.value, QuestionState.WAITING.value]
    )
    if client_command_id is not None:
        open_questions = open_questions.filter(client_command_id=client_command_id)
    question = open_questions.order_by("state", "id").first()  # running comes before waiting
    if question is None:
        return None
    if question.state == QuestionState.WAITING.value:
        give_up(question, CANCELLED, clock=clock)
    else:
        question.is_cancel_asked = True
        question.save()
    return question.client_command_id

"""A question comes to its end: with an answer, without one, or because it was stopped."""

from assistant.actions.show_brain import own_brain
from assistant.models import AssistantMessage
from assistant.state import QuestionEnd, QuestionState, Role
from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.ids import new_assistant_message_id
from rooms.transactions import durable, joins

CANCELLED = QuestionEnd(state=QuestionState.CANCELLED)


@durable
def end_question(client_command_id: str, token: str, end: QuestionEnd, *, clock: Clock) -> None:
    """The brain is done with the question that it took.

    Raises:
        GroupXError: STORE_CONFLICT when another process is the brain now.
    """
    own_brain(token)
    question = AssistantMessage.objects.filter(
        role=Role.USER.value,
        client_command_id=client_command_id,
        state=QuestionState.RUNNING.value,
        brain_token=token,
    ).first()
    if question is None:
        raise GroupXError(ErrorCode.STORE_CONFLICT, "This question is not with this brain any more.")
    give_up(question, end, clock=clock)
    if end.state is QuestionState.ANSWERED:
        AssistantMessage.objects.create(
            message_id=new_assistant_message_id(),
            role=Role.ASSISTANT.value,
            client_command_id=client_command_id,
            content=end.answer,
            created_at=clock.now(),
        )


def end_open_questions(end: QuestionEnd, *states: QuestionState, clock: Clock) -> None:
    """Nobody works on questions of these states any more. One that was to be stopped has been. Joins the caller's
    transaction."""
    joins()
    wanted = [state.value for state in states]
    for question in AssistantMessage.objects.filter(role=Role.USER.value, state__in=wanted):
        give_up(question, CANCELLED if question.is_cancel_asked else end, clock=clock)


@durable
def fail_waiting(token: str, end: QuestionEnd, *, clock: Clock) -> None:
    """The brain cannot work: what waits has failed, so that whoever asked hears of it.

    Raises:
        GroupXError: STORE_CONFLICT when another process is the brain now.
    """
    own_brain(token)
    end_open_questions(end, QuestionState.WAITING, clock=clock)


@durable
def give_up_waiting(client_command_id: str, end: QuestionEnd, *, clock: Clock) -> None:
    """It was taken by nobody; one that was taken meanwhile goes on."""
    for question in AssistantMessage.objects.filter(
        role=Role.USER.value, client_command_id=client_command_id, state=QuestionState.WAITING.value
    ):
        give_up(question, end, clock=clock)


def give_up(question: AssistantMessage, end: QuestionEnd, *, clock: Clock) -> None:
    """Write the end of a question without an answer. Joins the caller's transaction."""
    joins()
    question.state, question.ended_at = end.state.value, clock.now()
    question.error_code, question.error_message, question.hint = end.error_code, end.message, end.hint
    question.save()

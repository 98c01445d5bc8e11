"""The person asks the assistant something, or asks again what has had no answer."""

from assistant.models import AssistantMessage
from assistant.state import QuestionState, Role
from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.ids import new_assistant_message_id
from rooms.transactions import durable_to_disk

OVER_WITHOUT_ANSWER = (QuestionState.FAILED.value, QuestionState.CANCELLED.value)


@durable_to_disk
def ask_question(client_command_id: str, content: str, *, clock: Clock) -> AssistantMessage:
    """The question as it stands now: a new one waits, one that failed or was cancelled waits again, another is joined.

    Raises:
        GroupXError: CLIENT_COMMAND_CONFLICT when this id has asked something else.
    """
    question, is_new = AssistantMessage.objects.select_for_update().get_or_create(
        role=Role.USER.value,
        client_command_id=client_command_id,
        defaults={
            "message_id": new_assistant_message_id(),
            "content": content,
            "created_at": clock.now(),
            "state": QuestionState.WAITING.value,
        },
    )
    if question.content != content:
        raise GroupXError(
            ErrorCode.CLIENT_COMMAND_CONFLICT, "This clientCommandId has asked the assistant something else."
        )
    if not is_new and question.state in OVER_WITHOUT_ANSWER:
        question.state = QuestionState.WAITING.value
        question.brain_token = question.error_code = question.error_message = question.hint = ""
        question.taken_at = question.ended_at = None
        question.is_cancel_asked = False
        question.save()
    return question

"""The side conversation and its brain. No event, turn or packet of the room is made of anything in here."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Length
from django.db.models.lookups import GreaterThan, LessThanOrEqual
from django.utils.translation import gettext_lazy as _

from .state import MAX_STORED_CHARACTERS, BrainStatus, QuestionState, Role


def _values(enum: type[Role] | type[QuestionState] | type[BrainStatus]) -> list[str]:
    return sorted(member.value for member in enum)


class AssistantMessage(models.Model):
    """A question of the person, or the answer to one: both have its clientCommandId."""

    id = models.BigAutoField(primary_key=True)
    """In the order of the conversation."""
    message_id = models.CharField(max_length=64, unique=True)
    role = models.CharField(max_length=9, choices=[(r.value, r.value) for r in Role])
    client_command_id = models.CharField(max_length=128)
    content = models.TextField()
    created_at = models.DateTimeField()

    # of a question
    state = models.CharField(max_length=9, choices=[(s.value, s.value) for s in QuestionState], blank=True)
    brain_token = models.CharField(max_length=64, blank=True)
    """Which brain works on it: an older one may write nothing any more."""
    is_cancel_asked = models.BooleanField(default=False)
    """While it runs: its brain is to stop it."""
    runs = models.IntegerField(default=0)
    """How often the brain was asked; each time because somebody asked for it."""
    taken_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    error_code = models.CharField(max_length=64, blank=True)
    error_message = models.TextField(blank=True)
    hint = models.TextField(blank=True)

    class Meta:
        verbose_name, verbose_name_plural = _("message with the assistant"), _("messages with the assistant")
        constraints = [
            models.UniqueConstraint(
                fields=["role", "client_command_id"], name="one_question_and_one_answer_per_command"
            ),
            models.CheckConstraint(
                condition=Q(role=Role.USER.value, state__in=_values(QuestionState))
                | Q(role=Role.ASSISTANT.value, state=""),
                name="assistant_question_has_a_state",
            ),
            models.CheckConstraint(
                condition=Q(state__in=[QuestionState.WAITING.value, QuestionState.RUNNING.value], ended_at__isnull=True)
                | ~Q(state__in=[QuestionState.WAITING.value, QuestionState.RUNNING.value]),
                name="assistant_open_question_has_no_end",
            ),
            models.UniqueConstraint(
                fields=["role"], condition=Q(state=QuestionState.RUNNING.value), name="one_running_assistant_question"
            ),
            models.CheckConstraint(
                condition=Q(
                    GreaterThan(Length("content"), 0), LessThanOrEqual(Length("content"), MAX_STORED_CHARACTERS)
                ),
                name="assistant_content_is_bounded",
            ),
        ]
        indexes = [
            # what the brain looks for
            models.Index(
                fields=["id"],
                condition=Q(state__in=[QuestionState.WAITING.value, QuestionState.RUNNING.value]),
                name="open_assistant_questions",
            ),
        ]

    def __str__(self) -> str:
        return self.message_id


class AssistantBrain(models.Model):
    """How the brain's process is, and by which secret it is known to the operator's MCP server in this run."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    status = models.CharField(
        max_length=8, choices=[(s.value, s.value) for s in BrainStatus], default=BrainStatus.STOPPED.value
    )
    status_text = models.TextField(blank=True)
    last_error = models.JSONField(null=True)
    """As an agent's card has it."""
    token = models.CharField(max_length=64, blank=True)
    pid = models.IntegerField(null=True)
    handle_hash = models.CharField(max_length=64, null=True, unique=True)
    driver = models.CharField(max_length=40, blank=True)
    cwd = models.TextField(blank=True)
    native_session_id = models.TextField(blank=True)
    """Resumed with the next start in the same folder with the same driver."""
    cli = models.CharField(max_length=80, blank=True)
    """Name and version, as its driver told them."""
    changed_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name, verbose_name_plural = _("assistant’s brain"), _("assistant’s brain")
        constraints = [
            models.CheckConstraint(condition=Q(id=1), name="assistant_brain_is_one_row"),
            models.CheckConstraint(condition=Q(status__in=_values(BrainStatus)), name="brain_status_is_known"),
        ]

    def __str__(self) -> str:
        return self.status

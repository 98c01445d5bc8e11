"""Turns, their attempts and lanes. Statuses change through `actions/` only; the constraints refuse the rest."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from rooms.models import Actor, AgentInstance, Event, Room, SessionBinding

from .capability_models import CapabilityEvidence as CapabilityEvidence
from .capability_models import CliVersion as CliVersion
from .cursor_models import DeliveryCursor as DeliveryCursor
from .job_models import AgentJob as AgentJob
from .limit_models import LoopStop as LoopStop
from .state import (
    TERMINAL,
    WITH_A_LANE,
    DeliveryCertainty,
    DispatchPhase,
    LaneStatus,
    PauseKind,
    Transport,
    TurnStatus,
)
from .supervision_models import PairedTurn as PairedTurn
from .supervision_models import SupervisionPair as SupervisionPair


def _choices(enum: type) -> list[tuple[str, str]]:
    return [(member.value, member.value) for member in enum]  # type: ignore[attr-defined]


def _values(members: object) -> list[str]:
    return sorted(member.value for member in members)  # type: ignore[attr-defined]


class Turn(models.Model):
    """One agent's run for one message."""

    turn_id = models.CharField(primary_key=True, max_length=64)
    room = models.ForeignKey(Room, on_delete=models.PROTECT, related_name="turns")
    source_event = models.ForeignKey(Event, on_delete=models.PROTECT, to_field="event_id", related_name="turns")
    target = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="turns")
    status = models.CharField(max_length=12, choices=_choices(TurnStatus), default=TurnStatus.QUEUED.value)
    transport = models.CharField(max_length=12, choices=_choices(Transport), default=Transport.STRUCTURED.value)
    enqueue_seq = models.BigIntegerField()
    """seq of its turn.queued: the lane's order."""
    correlation_id = models.CharField(max_length=64)
    root_correlation_id = models.CharField(max_length=64)
    parent_turn = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="children")
    hop_count = models.IntegerField(default=0)
    retry_of = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="retries")
    command_type = models.CharField(max_length=40)
    error_code = models.CharField(max_length=64, blank=True)
    message = models.TextField(blank=True)
    stop_reason = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name, verbose_name_plural = _("turn"), _("turns")
        constraints = [
            models.CheckConstraint(condition=Q(status__in=_values(TurnStatus)), name="turn_status_is_known"),
            models.CheckConstraint(
                condition=Q(status__in=_values(TERMINAL), ended_at__isnull=False)
                | Q(~Q(status__in=_values(TERMINAL)), ended_at__isnull=True),
                name="turn_ended_exactly_when_terminal",
            ),
            models.UniqueConstraint(
                fields=["target"], condition=Q(status__in=_values(WITH_A_LANE)), name="one_running_turn_per_agent"
            ),
            models.UniqueConstraint(
                fields=["source_event", "target"],
                condition=Q(retry_of__isnull=True),
                name="one_turn_per_message_and_target",
            ),
            models.UniqueConstraint(
                fields=["retry_of"], condition=Q(retry_of__isnull=False), name="one_retry_per_turn"
            ),
            models.CheckConstraint(
                condition=Q(parent_turn__isnull=True, hop_count=0) | Q(parent_turn__isnull=False, hop_count__gt=0),
                name="turn_hops_fit_its_parent",
            ),
        ]
        indexes = [
            # a lane's next turn, its queue length, the room's open turns: they all ask for ended_at IS NULL
            models.Index(
                fields=["target", "enqueue_seq"], condition=Q(ended_at__isnull=True), name="open_turns_of_lane"
            ),
            models.Index(fields=["created_at"], name="turn_by_time"),  # the last hours, and the admin's dates
            # what one message of a person has led to; tries of a person are not counted
            models.Index(
                fields=["root_correlation_id", "target"], condition=Q(retry_of__isnull=True), name="turns_of_root"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.turn_id} ({self.status})"


FIGURES = (
    "input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "total_tokens", "cost_usd",
    "context_used", "context_size",
)  # fmt: skip
"""What may be told of a turn's use, as in `rooms.bodies.UsageTold`."""


class TurnUsage(models.Model):
    """What an ended turn has used, where its agent told anything. Null is unknown."""

    turn = models.OneToOneField(Turn, on_delete=models.PROTECT, primary_key=True, related_name="used")
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+", db_index=False)
    ended_at = models.DateTimeField()
    """As the turn's: it belongs to that day."""
    input_tokens = models.BigIntegerField(null=True)
    cached_tokens = models.BigIntegerField(null=True)
    """A part of the input."""
    output_tokens = models.BigIntegerField(null=True)
    reasoning_tokens = models.BigIntegerField(null=True)
    """A part of the output."""
    total_tokens = models.BigIntegerField(null=True)
    cost_usd = models.FloatField(null=True)
    context_used = models.BigIntegerField(null=True)
    context_size = models.BigIntegerField(null=True)

    class Meta:
        verbose_name, verbose_name_plural = _("use of a turn"), _("use of turns")
        constraints = [
            models.CheckConstraint(
                condition=Q(*[(f"{name}__gte", 0) for name in FIGURES]),  # what is null passes
                name="usage_is_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(*[(f"{name}__isnull", False) for name in FIGURES], _connector=Q.OR),
                name="usage_tells_something",
            ),
        ]
        indexes = [
            # the sums of a day, of all agents and of the one whose limit is looked at
            models.Index(fields=["ended_at"], name="usage_by_time"),
            models.Index(fields=["actor", "ended_at"], name="usage_of_agent_by_time"),
        ]

    def __str__(self) -> str:
        return self.turn_id


class TurnAttempt(models.Model):
    """One delivery of a turn: how far it came, and what is certain about it."""

    attempt_id = models.CharField(primary_key=True, max_length=64)
    turn = models.ForeignKey(Turn, on_delete=models.PROTECT, related_name="attempts")
    number = models.IntegerField()
    lane_token = models.CharField(max_length=64)
    dispatch_phase = models.CharField(
        max_length=16, choices=_choices(DispatchPhase), default=DispatchPhase.PREPARED.value
    )
    delivery_certainty = models.CharField(
        max_length=16, choices=_choices(DeliveryCertainty), default=DeliveryCertainty.NOT_DELIVERED.value
    )
    instance = models.ForeignKey(AgentInstance, on_delete=models.PROTECT, null=True)
    binding = models.ForeignKey(SessionBinding, on_delete=models.PROTECT, null=True)
    native_turn_id = models.CharField(max_length=200, null=True)
    context_after_seq = models.BigIntegerField(null=True)
    context_through_seq = models.BigIntegerField()
    summary_through_seq = models.BigIntegerField(null=True)
    """Up to where a summary stood for what was said."""
    partial_text = models.TextField(blank=True)
    """Of one that has ended without an answer; while it runs: PartialText."""
    cancel_steps = models.JSONField(default=list)
    """What was done to stop it, with milliseconds since the cancel."""
    prepared_at = models.DateTimeField()
    invoked_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    @property
    def native_session_id(self) -> str | None:
        """Of the session that was given it."""
        return self.binding.native_session_id if self.binding else None

    class Meta:
        verbose_name, verbose_name_plural = _("attempt"), _("attempts")
        indexes = [
            # the admin's dates and its newest first
            models.Index(fields=["prepared_at"], name="attempt_by_time"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["turn", "number"], name="attempts_are_numbered"),
            models.UniqueConstraint(
                fields=["turn"],
                condition=~Q(dispatch_phase=DispatchPhase.TERMINAL.value),
                name="one_open_attempt_per_turn",
            ),
            models.CheckConstraint(
                condition=(
                    Q(dispatch_phase="prepared", delivery_certainty="not_delivered")
                    | Q(dispatch_phase="prompt_invoked", delivery_certainty="unknown")
                    | Q(dispatch_phase="native_started", delivery_certainty="delivered")
                    | Q(dispatch_phase="terminal")
                ),
                name="attempt_certainty_fits_its_phase",
            ),
            models.CheckConstraint(
                condition=Q(summary_through_seq__isnull=True) | Q(summary_through_seq__lte=F("context_through_seq")),
                name="attempt_summary_is_within_its_context",
            ),
            models.CheckConstraint(
                condition=Q(context_after_seq__isnull=True) | Q(context_after_seq__lte=F("context_through_seq")),
                name="attempt_context_is_a_range",
            ),
        ]

    def __str__(self) -> str:
        return self.attempt_id


class PartialText(models.Model):
    """A piece of what a running attempt has said, for the case that its worker dies (turns/partial_text.py)."""

    attempt = models.ForeignKey(TurnAttempt, on_delete=models.CASCADE, related_name="+")
    position = models.IntegerField()
    text = models.TextField()

    class Meta:
        verbose_name, verbose_name_plural = _("piece of running text"), _("pieces of running text")
        constraints = [
            models.UniqueConstraint(fields=["attempt", "position"], name="partial_text_is_in_order"),
        ]

    def __str__(self) -> str:
        return f"{self.attempt_id} {self.position}"


class AttemptPacket(models.Model):
    """The text the agent was given, stored with prompt_invoked."""

    attempt = models.OneToOneField(TurnAttempt, on_delete=models.PROTECT, primary_key=True, related_name="packet")
    text = models.TextField()
    omissions = models.JSONField(default=dict)

    class Meta:
        verbose_name, verbose_name_plural = _("packet"), _("packets")

    def __str__(self) -> str:
        return self.attempt_id


class Lane(models.Model):
    """One agent's queue and who works it. The token fences off a worker that was replaced."""

    actor = models.OneToOneField(Actor, on_delete=models.PROTECT, primary_key=True, related_name="lane")
    lane_token = models.CharField(max_length=64, blank=True)
    worker_pid = models.IntegerField(null=True)
    instance = models.ForeignKey(AgentInstance, on_delete=models.PROTECT, null=True)
    status = models.CharField(max_length=24, choices=_choices(LaneStatus), default=LaneStatus.STOPPED.value)
    status_text = models.CharField(max_length=300, blank=True)
    cli = models.ForeignKey(CliVersion, on_delete=models.PROTECT, null=True, related_name="lanes")
    """What it was last worked with; stays when its session has ended."""
    last_error = models.JSONField(null=True)
    restart_generation = models.IntegerField(default=0)
    """Raised by a request to restart; a lane that sees a higher number than it began with obeys."""
    resume_generation = models.IntegerField(default=0)
    """The same for a request to go on."""
    fresh_generation = models.IntegerField(default=0)
    """The same for a request for a fresh session."""
    pause_kind = models.CharField(max_length=16, choices=_choices(PauseKind), blank=True)
    """Why the queue waits, whoever works the lane; empty when it does not."""
    paused_until = models.DateTimeField(null=True)
    pause_words = models.CharField(max_length=300, blank=True)
    went_on_day = models.DateField(null=True)
    """The day on which a person last let it go on past its limit …"""
    went_on_tokens = models.BigIntegerField(default=0)
    went_on_cost_usd = models.FloatField(default=0)
    """… and what had been used of it by then: the limit counts anew from there."""
    changed_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name, verbose_name_plural = _("lane"), _("lanes")
        constraints = [
            models.CheckConstraint(condition=Q(status__in=_values(LaneStatus)), name="lane_status_is_known"),
            models.CheckConstraint(
                condition=Q(pause_kind="", paused_until__isnull=True)
                | Q(pause_kind__in=_values(PauseKind), paused_until__isnull=False),
                name="lane_pause_has_an_end",
            ),
            models.CheckConstraint(
                condition=Q(went_on_tokens__gte=0, went_on_cost_usd__gte=0), name="lane_went_on_is_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return self.actor_id

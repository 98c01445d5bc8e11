"""The room's tables: the append-only log, who may appear in it, and what was commanded.

Constraints keep the invariants; names say which. Only `actions/append_event.py` writes events.
"""

from typing import Any

from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext_lazy as _

from .vocabulary import FORBIDDEN_TYPE_PREFIXES, ActorKind, SourceKind


class Store(models.Model):
    """One row about the database itself. A new epoch tells clients that their cursors mean nothing here."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    epoch = models.CharField(max_length=64)
    boot_id = models.CharField(max_length=64, blank=True)
    closed_cleanly = models.BooleanField(default=True)

    class Meta:
        verbose_name, verbose_name_plural = _("store"), _("store")
        constraints = [models.CheckConstraint(condition=Q(id=1), name="store_is_one_row")]

    def __str__(self) -> str:
        return self.epoch


class Room(models.Model):
    room_id = models.CharField(primary_key=True, max_length=80)
    title = models.CharField(max_length=200)
    last_seq = models.BigIntegerField(default=0)
    """Raised in the transaction that inserts the events: seq follows commit order, without a hole."""
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name, verbose_name_plural = _("room"), _("rooms")

    def __str__(self) -> str:
        return self.title


class Actor(models.Model):
    actor_id = models.CharField(primary_key=True, max_length=80)
    kind = models.CharField(max_length=8, choices=[(k.value, k.value) for k in ActorKind])
    display_name = models.CharField(max_length=80)
    driver = models.CharField(max_length=40, blank=True)
    identity = models.TextField(blank=True)
    cwd = models.TextField(blank=True)
    roster_position = models.IntegerField(default=0)
    enabled = models.BooleanField(default=True)

    class Meta:
        verbose_name, verbose_name_plural = _("actor"), _("actors")
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=[k.value for k in ActorKind]), name="actor_kind_is_known")
        ]

    def __str__(self) -> str:
        return self.actor_id


class AgentInstance(models.Model):
    """One run of an agent's process."""

    instance_id = models.CharField(primary_key=True, max_length=64)
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="instances")
    pid = models.IntegerField()
    process_started_at = models.FloatField()
    """Tells two processes with one pid apart: seconds since boot on Linux, no date."""
    agent_name = models.CharField(max_length=120, blank=True)
    agent_version = models.CharField(max_length=120, blank=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    exit_code = models.IntegerField(null=True)

    class Meta:
        verbose_name, verbose_name_plural = _("agent process"), _("agent processes")

    def __str__(self) -> str:
        return self.instance_id


class SessionBinding(models.Model):
    """How a session is known to us: the sender of whatever comes through it."""

    binding_id = models.CharField(primary_key=True, max_length=64)
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="bindings")
    instance = models.ForeignKey(AgentInstance, on_delete=models.PROTECT, null=True, related_name="bindings")
    native_session_id = models.TextField(blank=True)
    is_resumable = models.BooleanField(db_default=True)
    """False after a restore: the native session on disk has gone on since the backup was made."""
    handle_hash = models.CharField(max_length=64, null=True, unique=True)
    cwd = models.TextField(blank=True)
    opened_at = models.DateTimeField()
    opened_seq = models.BigIntegerField(default=0)
    """Where the room's log ended then: tells which came later, whatever was done to the clock."""
    closed_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name, verbose_name_plural = _("binding"), _("bindings")
        indexes = [models.Index(fields=["actor", "-opened_seq"], name="binding_latest_of_actor")]

    def __str__(self) -> str:
        return self.binding_id


class ClientCommand(models.Model):
    """A receipt: what was asked under a clientCommandId and, byte for byte, what was answered."""

    binding = models.ForeignKey(SessionBinding, on_delete=models.PROTECT)
    client_command_id = models.CharField(max_length=128)
    command_type = models.CharField(max_length=40)
    payload_hash = models.CharField(max_length=64)
    result = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        verbose_name, verbose_name_plural = _("receipt"), _("receipts")
        constraints = [
            models.UniqueConstraint(fields=["binding", "client_command_id"], name="one_receipt_per_binding_and_command")
        ]

    def __str__(self) -> str:
        return self.client_command_id


class EventQuerySet(models.QuerySet["Event"]):
    def delete(self) -> Any:
        raise TypeError("events are append-only")

    def update(self, **kwargs: Any) -> int:
        raise TypeError("events are append-only")

    def with_shown_body(self) -> "EventQuerySet":
        """Adds `shown_body`: the body with long text cut."""
        return self.annotate(shown_body=Coalesce("cut_body", "body"))

    def without_bodies(self) -> "EventQuerySet":
        """For lists of events: a body may have megabytes, and a list would load each."""
        return self.defer("body", "cut_body")


class Event(models.Model):
    """One durable event. Updates are refused by a trigger, deletion by the manager."""

    id = models.BigAutoField(primary_key=True)
    event_id = models.CharField(max_length=64, unique=True)
    room = models.ForeignKey(Room, on_delete=models.PROTECT, related_name="events")
    seq = models.BigIntegerField()
    type = models.CharField(max_length=64)
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, db_constraint=True, related_name="+")
    actor_name = models.CharField(max_length=80)
    instance_id = models.CharField(max_length=64, null=True)
    to = models.JSONField(default=list)
    correlation_id = models.CharField(max_length=64)
    root_correlation_id = models.CharField(max_length=64)
    causation_id = models.CharField(max_length=64, null=True)
    reply_to_event_id = models.CharField(max_length=64, null=True)
    forwarded_event_id = models.CharField(max_length=64, null=True)
    idempotency_key = models.CharField(max_length=120, null=True)
    source_kind = models.CharField(max_length=20, choices=[(k.value, k.value) for k in SourceKind])
    body = models.JSONField()
    occurred_at = models.DateTimeField()
    cut_body = models.JSONField(null=True)
    """The body as pages and streams show it, where that is less: nobody who reads the log loads the whole."""

    objects = EventQuerySet.as_manager()

    class Meta:
        verbose_name, verbose_name_plural = _("event"), _("events")
        constraints = [
            models.UniqueConstraint(fields=["room", "seq"], name="one_event_per_seq"),
            models.UniqueConstraint(
                fields=["room", "idempotency_key"],
                condition=Q(idempotency_key__isnull=False),
                name="one_event_per_idempotency_key",
            ),
            models.CheckConstraint(
                condition=~Q(*[("type__startswith", p) for p in FORBIDDEN_TYPE_PREFIXES], _connector=Q.OR),
                name="event_type_is_not_reserved",
            ),
            models.CheckConstraint(condition=Q(seq__gt=0), name="event_seq_is_positive"),
            models.CheckConstraint(
                condition=Q(source_kind__in=[k.value for k in SourceKind]), name="event_source_kind_is_known"
            ),
        ]
        indexes = [
            # context packets read messages of a room after a cursor, newest first
            models.Index(fields=["room", "type", "-seq"], name="event_by_type"),
            # read by correlation (turn inspector, agents' read tool)
            models.Index(fields=["correlation_id", "seq"], name="event_by_correlation"),
            # the admin's dates
            models.Index(fields=["occurred_at"], name="event_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.type}"

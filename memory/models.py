"""What is remembered and who is thought to be what. Nothing is edited in place: a record is superseded by a new one or
retracted, once. Changed by `actions/` only; the constraints and a trigger refuse the rest."""

from typing import Any

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length
from django.db.models.lookups import GreaterThan, LessThanOrEqual
from django.utils.translation import gettext_lazy as _

from rooms.models import Actor, Event, Room

from .context_models import CompactionLease as CompactionLease
from .context_models import ContextFloor as ContextFloor
from .context_models import Summary as Summary
from .rollup_models import RollupSource as RollupSource
from .rollup_models import RollupState as RollupState
from .vocabulary import (
    MAX_RECORD_CHARACTERS,
    AgentMemoryType,
    IdentityKind,
    MemoryKind,
    MemoryScope,
    RecordSource,
    RecordStatus,
)


def _choices(enum: type) -> list[tuple[str, str]]:
    return [(member.value, member.value) for member in enum]  # type: ignore[attr-defined]


def _values(enum: type) -> list[str]:
    return sorted(member.value for member in enum)  # type: ignore[attr-defined]


class RecordQuerySet(models.QuerySet[Any]):
    def delete(self) -> Any:
        raise TypeError("a record is retracted, never deleted")


class Record(models.Model):
    """What memory and identity have in common."""

    record_id = models.CharField(max_length=64, unique=True)
    room = models.ForeignKey(Room, on_delete=models.PROTECT, related_name="+")
    author = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    content = models.TextField()
    source_event = models.ForeignKey(
        Event, on_delete=models.PROTECT, to_field="event_id", null=True, related_name="%(class)ss"
    )
    """What it was learnt from."""
    source_kind = models.CharField(max_length=20, choices=_choices(RecordSource))
    status = models.CharField(max_length=10, choices=_choices(RecordStatus), default=RecordStatus.ACTIVE.value)
    supersedes = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="superseded_by")
    """The version before this one."""
    seq = models.BigIntegerField()
    """Of the event that told the room of it."""
    created_at = models.DateTimeField()
    retracted_at = models.DateTimeField(null=True)

    objects = RecordQuerySet.as_manager()

    class Meta:
        abstract = True
        constraints = [
            models.UniqueConstraint(
                fields=["supersedes"], condition=Q(supersedes__isnull=False), name="one_successor_per_%(class)s"
            ),
            models.CheckConstraint(condition=Q(status__in=_values(RecordStatus)), name="%(class)s_status_is_known"),
            models.CheckConstraint(
                condition=Q(source_kind__in=_values(RecordSource)), name="%(class)s_source_kind_is_known"
            ),
            models.CheckConstraint(
                condition=Q(status=RecordStatus.RETRACTED.value, retracted_at__isnull=False)
                | Q(~Q(status=RecordStatus.RETRACTED.value), retracted_at__isnull=True),
                name="%(class)s_has_a_time_exactly_when_retracted",
            ),
            models.CheckConstraint(
                condition=Q(
                    GreaterThan(Length("content"), 0), LessThanOrEqual(Length("content"), MAX_RECORD_CHARACTERS)
                ),
                name="%(class)s_content_is_bounded",
            ),
            models.CheckConstraint(
                condition=Q(supersedes__isnull=True) | ~Q(supersedes=F("id")), name="%(class)s_supersedes_another"
            ),
        ]

    def __str__(self) -> str:
        return self.record_id


class MemoryRecord(Record):
    scope_type = models.CharField(max_length=11, choices=_choices(MemoryScope))
    scope_id = models.CharField(max_length=80)
    """The room, the agent or the root correlation."""
    agent_memory_type = models.CharField(max_length=5, choices=_choices(AgentMemoryType), null=True)
    kind = models.CharField(max_length=11, choices=_choices(MemoryKind))
    day = models.DateField(null=True)
    """Which day of its agent a record of the dated layer is of, in the room's time zone."""
    subject = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, related_name="+")
    """Whom it is about, where it is about somebody."""

    class Meta(Record.Meta):
        verbose_name, verbose_name_plural = _("memory"), _("memory")
        constraints = [
            *Record.Meta.constraints,
            models.CheckConstraint(condition=Q(scope_type__in=_values(MemoryScope)), name="memory_scope_is_known"),
            models.CheckConstraint(condition=Q(kind__in=_values(MemoryKind)), name="memory_kind_is_known"),
            models.CheckConstraint(
                condition=Q(
                    scope_type=MemoryScope.AGENT.value,
                    agent_memory_type__isnull=False,
                    agent_memory_type__in=_values(AgentMemoryType),
                )
                | Q(~Q(scope_type=MemoryScope.AGENT.value), agent_memory_type__isnull=True),
                name="memory_has_a_layer_exactly_when_an_agents",
            ),
            models.CheckConstraint(
                condition=Q(
                    agent_memory_type=AgentMemoryType.DATED.value, agent_memory_type__isnull=False, day__isnull=False
                )
                | Q(~Q(agent_memory_type=AgentMemoryType.DATED.value), day__isnull=True)
                | Q(agent_memory_type__isnull=True, day__isnull=True),
                name="memory_has_a_day_exactly_when_dated",
            ),
            models.UniqueConstraint(
                fields=["scope_id", "day"],
                condition=Q(status=RecordStatus.ACTIVE.value, day__isnull=False),
                name="one_active_rollup_per_agent_and_day",
            ),
        ]
        indexes = [
            # context packets and lists: what is remembered now, newest first
            models.Index(
                fields=["scope_type", "scope_id", "-id"], condition=Q(status="active"), name="active_memory_of_scope"
            ),
        ]


class IdentityRecord(Record):
    subject = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    """Who it says something about."""
    kind = models.CharField(max_length=11, choices=_choices(IdentityKind))

    class Meta(Record.Meta):
        verbose_name, verbose_name_plural = _("identity"), _("identity")
        constraints = [
            *Record.Meta.constraints,
            models.CheckConstraint(condition=Q(kind__in=_values(IdentityKind)), name="identity_kind_is_known"),
        ]
        indexes = [
            # context packets: what is said of an agent now, newest first
            models.Index(fields=["subject", "-id"], condition=Q(status="active"), name="active_identity_of_subject"),
        ]

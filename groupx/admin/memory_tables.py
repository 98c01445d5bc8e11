"""What is remembered, and who is thought to be what: every version of it, and where it was learnt."""

from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from groupx.admin.commands import retract_identity, retract_memory
from groupx.admin.filters import actor_filter, choice_filter
from groupx.admin.readonly import ReadOnlyAdmin
from groupx.admin.shown import column, link_column, rows_column, text_column
from memory.models import IdentityRecord, MemoryRecord
from memory.vocabulary import AgentMemoryType, IdentityKind, MemoryKind, MemoryScope, RecordStatus
from rooms.models import Actor, Event, Room

EXCERPT_CHARS = 120
_TEXT = column("text", _("text"), lambda record: record.excerpt)
_STATUS = choice_filter("status", _("status"), [status.value for status in RecordStatus])
_WRITTEN = (
    link_column("author", _("author"), Actor),
    column("status", _("status")),
    column("created_at", _("created (UTC)")),
)
_ORIGIN = (
    column("retracted_at", _("retracted (UTC)")),
    column("source_kind", _("source")),
    link_column("source_event", _("learnt from"), Event),
    link_column("told", _("told by"), Event, lambda record: _event_of(record)),
    link_column("room", _("room"), Room),
    text_column("content", _("text")),
)


class _RecordAdmin(ReadOnlyAdmin):
    date_hierarchy = "created_at"
    ordering = ("-id",)
    search_fields = ("record_id__exact", "content")
    search_help_text = _("An id of a record, or words of its text.")
    whole = ("content",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).annotate(excerpt=Left("content", EXCERPT_CHARS)).defer("content")


class MemoryAdmin(_RecordAdmin):
    list_display = (
        column("record_id", _("id")),
        column("whose", _("whose"), lambda record: record.scope_id),
        column("kind", _("kind")),
        *_WRITTEN,
        _TEXT,
    )
    list_filter = (
        _STATUS,
        choice_filter("scope_type", _("scope"), [scope.value for scope in MemoryScope]),
        choice_filter("agent_memory_type", _("layer"), [layer.value for layer in AgentMemoryType]),
        choice_filter("kind", _("kind"), [kind.value for kind in MemoryKind]),
        actor_filter("author"),
    )
    actions = (retract_memory,)
    page = (
        column("record_id", _("id")),
        column("scope_type", _("scope")),
        column("scope_id", _("whose")),
        column("agent_memory_type", _("layer")),
        column("day", _("day")),
        column("kind", _("kind")),
        link_column("subject", _("about"), Actor),
        *_WRITTEN,
        link_column("supersedes", _("supersedes"), MemoryRecord),
        rows_column(
            "successor",
            _("superseded by"),
            lambda record: record.superseded_by.defer("content"),
            supersedes=lambda record: record.pk,
        ),
        rows_column(
            "sources",
            _("made of"),
            lambda record: record.rollup_sources.order_by("-id"),
            record=lambda record: record.pk,
        ),
        *_ORIGIN,
    )


class IdentityAdmin(_RecordAdmin):
    list_display = (
        column("record_id", _("id")),
        link_column("subject", _("about"), Actor),
        column("kind", _("kind")),
        *_WRITTEN,
        _TEXT,
    )
    list_filter = (
        _STATUS,
        choice_filter("kind", _("kind"), [kind.value for kind in IdentityKind]),
        actor_filter("subject"),
    )
    actions = (retract_identity,)
    page = (
        *list_display[:-1],
        link_column("supersedes", _("supersedes"), IdentityRecord),
        rows_column(
            "successor",
            _("superseded by"),
            lambda record: record.superseded_by.defer("content"),
            supersedes=lambda record: record.pk,
        ),
        *_ORIGIN,
    )


def _event_of(record: MemoryRecord | IdentityRecord) -> str | None:
    """The id of the event that told the room of it."""
    return Event.objects.filter(room=record.room_id, seq=record.seq).values_list("event_id", flat=True).first()


TABLES: dict[type, type[ReadOnlyAdmin]] = {MemoryRecord: MemoryAdmin, IdentityRecord: IdentityAdmin}

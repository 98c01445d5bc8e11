"""The action that downloads selected events: the same lines as `groupx_export` writes, read one by one."""

from collections.abc import AsyncIterator

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from rooms.export.formats import ExportFormat, file_name, jsonl_line
from rooms.models import Event
from rooms.queries import events_between
from rooms.transactions import in_reader

MOST_EXPORTED = 10_000


@admin.action(description=gettext_lazy("Export as JSON lines"))
def export_as_jsonl(model_admin: ModelAdmin, request: HttpRequest, events: QuerySet[Event]) -> HttpResponseBase | None:
    chosen = list(events.order_by("seq").values_list("room_id", "seq")[: MOST_EXPORTED + 1])
    if len(chosen) > MOST_EXPORTED:
        words = _("More than %(count)s events: narrow the list, or use groupx_export for the whole log.")
        messages.error(request, words % {"count": f"{MOST_EXPORTED:,}"})
        return None
    name = file_name(ExportFormat.JSONL, chosen[0][1] - 1, chosen[-1][1]) if chosen else "groupx.jsonl"
    return StreamingHttpResponse(
        _lines(chosen),
        content_type=ExportFormat.JSONL.content_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"},
    )


async def _lines(chosen: list[tuple[str, int]]) -> AsyncIterator[bytes]:
    for room_id, seq in chosen:
        yield await in_reader(_line, room_id, seq)


def _line(room_id: str, seq: int) -> bytes:
    [event] = events_between(seq - 1, seq, room_id)
    return jsonl_line(event).encode("utf-8", "replace")

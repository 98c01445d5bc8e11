"""What agents were asked outside any turn: to write a summary, or their own day."""

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from groupx.admin.filters import actor_filter, choice_filter
from groupx.admin.readonly import ReadOnlyAdmin
from groupx.admin.shown import column, flag_column, json_column, link_column, rows_column, text_column
from groupx.admin.turn_tables import seconds_between
from rooms.models import Actor
from turns.models import AgentJob
from turns.state import JobKind, JobStatus

_LONG = ("prompt", "answer", "message")


class AgentJobAdmin(ReadOnlyAdmin):
    list_display = (
        column("job_id", _("id")),
        link_column("actor", _("agent"), Actor),
        column("kind", _("kind")),
        column("status", _("status")),
        column("error_code", _("error code")),
        column("asked_by", _("asked for by")),
        column("created_at", _("created (UTC)")),
        column("seconds", _("seconds"), lambda job: seconds_between(job.taken_at, job.ended_at)),
    )
    list_filter = (
        choice_filter("status", _("status"), JobStatus),
        choice_filter("kind", _("kind"), JobKind),
        actor_filter("actor"),
    )
    date_hierarchy = "created_at"
    ordering = ("-created_at",)
    search_fields = ("job_id__exact", "fingerprint__exact", "error_code__exact", "asked_by__exact")
    search_help_text = _("An id of a job, what its question hashes to, who asked, or an error code.")
    whole = (*_LONG, "usage")
    page = (
        *list_display,
        column("taken_at", _("taken (UTC)")),
        column("ended_at", _("ended (UTC)")),
        column("expires_at", _("of use until (UTC)")),
        text_column("message", _("message")),
        flag_column("is_temporary", _("may work later")),
        column("retry_after_seconds", _("not before, seconds")),
        json_column("usage", _("use")),
        column("fingerprint", _("hash of the question")),
        rows_column(
            "same",
            _("asked this too"),
            lambda job: AgentJob.objects.filter(fingerprint=job.fingerprint).exclude(pk=job.pk).defer(*_LONG),
            fingerprint=lambda job: job.fingerprint,
        ),
        text_column("prompt", _("question")),
        text_column("answer", _("answer")),
        column("answer_chars", _("characters of the answer")),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[AgentJob]:
        return super().get_queryset(request).defer(*_LONG)


TABLES: dict[type, type[ReadOnlyAdmin]] = {AgentJob: AgentJobAdmin}

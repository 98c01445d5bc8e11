"""Who watches whom: the pairings of messages with observers, and their turns."""

from django.db.models import Prefetch, QuerySet
from django.db.models.functions import Left
from django.utils.translation import gettext_lazy as _

from groupx.admin.event_table import EXCERPT_CHARS, shown_value
from groupx.admin.filters import choice_filter
from groupx.admin.readonly import ReadOnlyAdmin
from groupx.admin.shown import Shown, column, link_column, row_link, rows_column
from rooms.models import Actor, Event
from turns.models import PairedTurn, SupervisionPair, Turn
from turns.state import SupervisionRole


def _names_of(role: SupervisionRole) -> Shown:
    """Of the agents with this part, each once, however many turns it has had."""

    def names(pair: SupervisionPair) -> str:
        turns = [paired.turn for paired in pair.paired_turns.all() if paired.role == role.value]
        return ", ".join(dict.fromkeys(turn.target.display_name for turn in turns))

    return names


_WHO = (
    column("observers", _("observers"), _names_of(SupervisionRole.OBSERVER)),
    column("workers", _("watched"), _names_of(SupervisionRole.WORKER)),
)


class SupervisionPairAdmin(ReadOnlyAdmin):
    list_display = (
        *_WHO,
        column("task", _("task"), lambda pair: row_link(Event, pair.task_id, pair.task_words)),
        column("created_at", _("created (UTC)")),
    )
    date_hierarchy = "created_at"
    ordering = ("-created_at",)
    search_fields = ("pair_id__exact", "task__event_id__exact", "paired_turns__turn__turn_id__exact")
    search_help_text = _("An id of an event or a turn.")
    page = (
        *_WHO,
        link_column("paired", _("told in the room by"), Event, lambda pair: pair.pk),
        link_column("task", _("task"), Event),
        link_column("brief", _("brief of its observers"), Event),
        column("mode", _("mode")),
        rows_column(
            "turns",
            _("turns"),
            lambda pair: pair.paired_turns.select_related("turn").order_by("turn__enqueue_seq"),
            pair=lambda pair: pair.pk,
        ),
        column("created_at", _("created (UTC)")),
    )

    def with_texts(self, rows: QuerySet[SupervisionPair]) -> QuerySet[SupervisionPair]:
        shown = SupervisionPair.objects.filter(pk__in=list(rows.values_list("pk", flat=True)))
        turns = PairedTurn.objects.select_related("turn__target").only("pair_id", "role", "turn__target__display_name")
        return (
            shown.annotate(task_words=Left(shown_value("content", "task__"), EXCERPT_CHARS))
            .prefetch_related(Prefetch("paired_turns", turns.order_by("turn__enqueue_seq")))
            .order_by(*self.ordering)
        )


class PairedTurnAdmin(ReadOnlyAdmin):
    list_display = (
        link_column("turn", _("turn"), Turn),
        link_column("agent", _("agent"), Actor, lambda paired: paired.turn.target_id),
        column("role", _("role")),
        column("status", _("status"), lambda paired: paired.turn.status),
        column("steers", _("steers")),
        column("was_interrupted", _("interrupted by a steer")),
    )
    list_filter = (choice_filter("role", _("role"), SupervisionRole),)
    list_select_related = ("turn",)
    ordering = ("-turn__enqueue_seq",)
    search_fields = ("turn__turn_id__exact", "pair__pair_id__exact")
    search_help_text = _("An id of a turn or of a supervision.")
    page = (*list_display, link_column("pair", _("supervision"), SupervisionPair))


TABLES: dict[type, type[ReadOnlyAdmin]] = {SupervisionPair: SupervisionPairAdmin, PairedTurn: PairedTurnAdmin}

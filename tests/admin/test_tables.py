"""Every table can be looked at, and nothing in it changed (our contract: docs/admin.md, "Tables")."""

from html import escape
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch

from groupx.admin import event_table
from groupx.admin.site import TABLES, site
from groupx.kernel.config import GroupXConfig
from memory.models import MemoryRecord, RollupSource, Summary
from rooms.command_names import CommandName
from rooms.models import Actor, ClientCommand, Event, Room
from rooms.vocabulary import EventType
from tests import given
from tests.admin.addresses import address
from tests.fakes.clock import FakeClock
from tests.turns.supervising import supervised
from turns.models import AgentJob, AttemptPacket, Lane, SupervisionPair, Turn, TurnAttempt
from turns.state import TurnStatus

OURS = [
    model for label in ("rooms", "turns", "memory", "assistant") for model in apps.get_app_config(label).get_models()
]
each_table = pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)


def test_every_table_is_there() -> None:
    assert set(OURS) == set(TABLES) == set(site._registry)


# ---------------------------------------------------------------- looking
@each_table
def test_a_table_has_a_list_a_search_and_a_page_for_each_row(model: Any, history: GroupXConfig, person: Client) -> None:
    assert model.objects.exists()
    assert person.get(address(model, "changelist")).status_code == 200
    assert person.get(address(model, "changelist"), {"q": "nothing has this"}).context["cl"].result_count == 0
    for row in model.objects.all():
        page = person.get(address(model, "change", row.pk))
        assert page.status_code == 200
        assert escape(str(row)) in page.content.decode()


@each_table
def test_each_filter_gives_a_list(model: Any, history: GroupXConfig, person: Client) -> None:
    listed = person.get(address(model, "changelist")).context["cl"]
    for spec in listed.filter_specs:
        for choice in spec.choices(listed):
            assert person.get(address(model, "changelist") + choice["query_string"]).status_code == 200


@each_table
def test_each_date_gives_a_list(model: Any, history: GroupXConfig, person: Client) -> None:
    field = TABLES[model].date_hierarchy
    moments = model.objects.values_list(field, flat=True) if field else []
    for moment in moments:
        day = {f"{field}__year": moment.year, f"{field}__month": moment.month, f"{field}__day": moment.day}
        assert person.get(address(model, "changelist"), day).context["cl"].result_count > 0


@pytest.mark.parametrize("year", ["9999", "0", "ten", "99999"])
def test_a_date_that_is_none_is_no_fault_of_the_server(year: str, history: GroupXConfig, person: Client) -> None:
    answer = person.get(address(Event, "changelist"), {"occurred_at__year": year})
    assert answer.status_code in (200, 302)


@pytest.mark.parametrize("word", ["it’s 你好 100% _", "<b>", '"quoted"', "back\\slash"])
def test_events_are_found_by_words_of_their_text(
    word: str, history: GroupXConfig, person: Client, clock: FakeClock
) -> None:
    given.queued_turn("builder", clock=clock, content=f"look for {word} here")
    found = person.get(address(Event, "changelist"), {"q": word}).context["cl"].result_list
    assert [event.type for event in found] == ["message.created"] * len(found)
    assert len(found) == (2 if word == "<b>" else 1)


def test_words_are_looked_for_in_a_bounded_part_of_the_log_which_dates_move(
    history: GroupXConfig, person: Client, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(**dates: int) -> int:
        return person.get(address(Event, "changelist"), {"q": "needle", **dates}).context["cl"].result_count

    given.queued_turn("builder", clock=clock, content="a needle")
    old = clock.now()
    clock.tick(2 * 24 * 60 * 60)
    given.queued_turn("builder", clock=clock)
    assert found() == 1
    monkeypatch.setattr(event_table, "MOST_SEARCHED", 2)
    assert found() == 0
    assert found(occurred_at__year=old.year, occurred_at__month=old.month, occurred_at__day=old.day) == 1


def test_events_are_found_by_seq_and_by_the_ids_of_what_they_belong_to(history: GroupXConfig, person: Client) -> None:
    turn = Turn.objects.filter(status=TurnStatus.COMPLETED).get()

    def found(term: str) -> set[str]:
        return {event.type for event in person.get(address(Event, "changelist"), {"q": term}).context["cl"].result_list}

    assert found("1") == {EventType.MESSAGE_CREATED}
    assert found(turn.source_event_id) == {EventType.MESSAGE_CREATED}
    assert found(turn.correlation_id) >= {EventType.MESSAGE_CREATED, EventType.TURN_QUEUED, EventType.TURN_COMPLETED}
    assert found(turn.turn_id) >= {EventType.MESSAGE_CREATED, EventType.TURN_QUEUED, EventType.TURN_COMPLETED}


@pytest.mark.parametrize(("state", "count"), [("waits", 1), ("kept", 0), ("nothing", 0), ("other", 1)])
def test_sources_of_dated_memory_are_filtered_by_what_became_of_them(
    state: str, count: int, history: GroupXConfig, person: Client
) -> None:
    listed = person.get(address(RollupSource, "changelist"), {"state": state})
    assert listed.context["cl"].result_count == count


def test_receipts_of_every_command_can_be_listed(history: GroupXConfig, person: Client) -> None:
    listed = person.get(address(ClientCommand, "changelist")).context["cl"]
    [names] = [[str(value) for value, _ in spec.lookup_choices] for spec in listed.filter_specs]
    assert names == list(CommandName)


# ---------------------------------------------------------------- what agents wrote
def test_the_list_of_supervisions_says_who_watches_whom_at_what(room: Any, person: Client, clock: FakeClock) -> None:
    watched = supervised("reviewer", "scribe")
    given.sent(given.a_message("builder", content="<b>Mend</b> it", supervision=watched), clock=clock)

    for page in (
        person.get(address(SupervisionPair, "changelist")),
        person.get(address(SupervisionPair, "change", SupervisionPair.objects.get().pk)),
    ):
        assert "Reviewer, Scribe" in page.content.decode()
        assert ">Builder<" in page.content.decode()
    listed = person.get(address(SupervisionPair, "changelist")).content.decode()
    assert "&lt;b&gt;Mend&lt;/b&gt; it</a>" in listed
    assert f"{clock.now():%Y-%m-%d %H:%M:%S}" in listed


def test_what_an_agent_wrote_is_only_text(history: GroupXConfig, person: Client) -> None:
    event = Event.objects.get(type=EventType.MESSAGE_CREATED, body__content__startswith="the answer <b>")
    for page in (address(Event, "changelist"), address(Event, "change", event.pk)):
        text = person.get(page).content.decode()
        assert "&lt;b&gt;of&lt;/b&gt;" in text and "<b>of" not in text


def test_a_long_text_is_cut_and_shown_whole_as_plain_text(room: GroupXConfig, person: Client, clock: FakeClock) -> None:
    content = "long " * 10_000 + "<script>end</script>"
    given.queued_turn("builder", clock=clock, content=content)
    event = Event.objects.get(type=EventType.MESSAGE_CREATED)
    whole = address(Event, "whole", event.pk, "body")
    page = person.get(address(Event, "change", event.pk)).content.decode()
    assert f'href="{whole}"' in page and "end" not in page.partition("gx-text")[2].partition("</pre>")[0]

    answer = person.get(whole)

    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert content in answer.content.decode()


def test_only_long_texts_have_an_address_of_their_own(history: GroupXConfig, person: Client) -> None:
    event = Event.objects.first()
    assert event is not None
    assert person.get(address(Event, "whole", event.pk, "event_id")).status_code == 404
    assert person.get(address(Event, "whole", 10**9, "body")).status_code == 404


@pytest.mark.parametrize("name", ["nobody", "\u0663", "_", "9" * 19, "9" * 5_000], ids=lambda name: name[:20])
@each_table
def test_an_address_of_no_row_is_no_fault_of_the_server(model: Any, name: str, room: Any, person: Client) -> None:
    for field in TABLES[model].whole:
        assert person.get(address(model, "whole", name, field)).status_code == 404
    assert person.get(address(model, "change", name)).status_code == 302


# ---------------------------------------------------------------- read-only
@each_table
def test_nothing_is_added_changed_or_deleted(model: Any, history: GroupXConfig, person: Client) -> None:
    row = model.objects.first()
    before = list(model.objects.order_by("pk").values())
    for view in ("add", "delete", "history"):
        with pytest.raises(NoReverseMatch):
            address(model, view, *([row.pk] if view != "add" else []))
    page = address(model, "change", row.pk)
    fields = {field.name: "changed" for field in model._meta.fields}
    assert person.post(page, {**fields, "_save": "Save"}).status_code == 403
    assert person.post(f"{page}delete/", {"post": "yes"}).status_code in (302, 403, 404)
    listed = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
    person.post(address(model, "changelist"), listed)
    person.post(f"{address(model, 'changelist')}add/", fields)
    assert list(model.objects.order_by("pk").values()) == before


# ---------------------------------------------------------------- cost
@pytest.mark.parametrize(
    "model",
    [Event, Turn, TurnAttempt, AttemptPacket, Actor, Lane, RollupSource, Summary, AgentJob],
    ids=lambda model: model.__name__,
)
def test_a_list_asks_as_much_for_many_rows_as_for_few(
    model: Any, history: GroupXConfig, person: Client, clock: FakeClock, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(15) as few:
        person.get(address(model, "changelist"))
    for _ in range(8):
        given.completed_turn("builder", clock=clock)
    with django_assert_max_num_queries(len(few)):
        person.get(address(model, "changelist"))


@each_table
def test_no_list_counts_a_whole_table(model: Any, history: GroupXConfig, person: Client) -> None:
    with CaptureQueriesContext(connection) as asked:
        person.get(address(model, "changelist"))
    counts = [query["sql"] for query in asked.captured_queries if query["sql"].startswith("SELECT COUNT")]
    assert counts and all("LIMIT" in sql for sql in counts)


@pytest.mark.parametrize(
    ("model", "field"),
    [
        (Event, "body"),
        (AttemptPacket, "text"),
        (TurnAttempt, "partial_text"),
        (MemoryRecord, "content"),
        (Summary, "content"),
        (AgentJob, "prompt"),
        (AgentJob, "answer"),
    ],
)
def test_no_list_reads_texts_that_may_be_long(model: Any, field: str, history: GroupXConfig, person: Client) -> None:
    rows = person.get(address(model, "changelist")).context["cl"].result_list
    assert rows and all(field in row.get_deferred_fields() for row in rows)


@pytest.mark.parametrize("model", [Room, Turn], ids=lambda model: model.__name__)
def test_no_page_loads_the_bodies_of_events_that_it_names(model: Any, history: GroupXConfig, person: Client) -> None:
    with CaptureQueriesContext(connection) as asked:
        person.get(address(model, "change", model.objects.first().pk))
    columns = [sql.partition(" FROM ")[0] for query in asked.captured_queries if "rooms_event" in (sql := query["sql"])]
    assert columns and not [named for named in columns if 'body"' in named]

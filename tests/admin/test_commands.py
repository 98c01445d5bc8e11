"""The admin's actions are the person's commands (our contract: docs/admin.md, "Actions")."""

import json
import re
from typing import Any

import pytest
from django.test import AsyncClient, Client
from django.urls import reverse

from groupx.admin.event_export import MOST_EXPORTED
from groupx.admin.site import TABLES
from groupx.kernel.config import GroupXConfig
from groupx.sign_in import new_sign_in_token, sign_in_path
from memory.models import IdentityRecord, MemoryRecord
from rooms.export.formats import jsonl_line
from rooms.models import Actor, ClientCommand, Event
from rooms.queries import events_after
from rooms.transactions import in_db
from rooms.vocabulary import WEB_BINDING
from tests import given
from tests.admin.conftest import loop
from tests.fakes.clock import FakeClock
from turns.models import Lane, LoopStop, Turn
from turns.state import TurnStatus

TURNS, LANES, STOPS, EVENTS = (
    reverse(f"admin:{name}_changelist") for name in ("turns_turn", "turns_lane", "turns_loopstop", "rooms_event")
)


def asked(person: Client, address: str, action: str, *rows: Any) -> dict[str, Any]:
    """Choose the action for these rows; gives what the page of confirmation would send."""
    form = {"action": action, "_selected_action": list(rows)}
    page = person.post(address, form)
    assert page.status_code == 200
    number = re.search(r'name="confirmed" value="(\w+)"', page.content.decode())
    assert number is not None
    return {**form, "confirmed": number[1]}


def done(person: Client, address: str, form: dict[str, Any]) -> list[str]:
    """Confirm; gives what is said about each row."""
    page = person.post(address, form, follow=True)
    assert page.redirect_chain[-1][1] == 302
    return [re.sub(r"<[^>]+>", "", str(message)) for message in page.context["messages"]]


def status_of(turn_id: str) -> str:
    return Turn.objects.get(turn_id=turn_id).status


def test_nothing_is_done_before_it_is_confirmed(room: GroupXConfig, person: Client, clock: FakeClock) -> None:
    turn_id = given.queued_turn("builder", clock=clock)
    asked(person, TURNS, "cancel_turns", turn_id)
    assert status_of(turn_id) == TurnStatus.QUEUED


def test_each_chosen_turn_has_its_own_result(room: GroupXConfig, person: Client, clock: FakeClock) -> None:
    ended = given.completed_turn("reviewer", clock=clock).turn_id
    running = given.running_turn("builder", clock=clock).turn_id
    waiting = given.queued_turn("builder", clock=clock)

    said = done(person, TURNS, asked(person, TURNS, "cancel_turns", ended, running, waiting))

    assert sorted(said) == sorted(
        [f"{ended}: had ended already: completed", f"{running}: is cancelling", f"{waiting}: is cancelled"]
    )
    assert [status_of(turn) for turn in (ended, running, waiting)] == ["completed", "cancelling", "cancelled"]


def test_a_turn_is_tried_again_by_the_persons_command(room: GroupXConfig, person: Client, clock: FakeClock) -> None:
    failed = given.ended_turn("builder", TurnStatus.FAILED, clock=clock).turn_id
    [said] = done(person, TURNS, asked(person, TURNS, "retry_turns", failed))
    retry = Turn.objects.get(retry_of=failed)
    assert said == f"{failed}: is tried again by {retry.turn_id}"
    receipt = ClientCommand.objects.get(command_type="turn.retry")
    assert receipt.binding_id == WEB_BINDING


def test_a_refusal_is_said_in_the_words_of_the_command(room: GroupXConfig, person: Client, clock: FakeClock) -> None:
    completed = given.completed_turn("builder", clock=clock).turn_id
    [said] = done(person, TURNS, asked(person, TURNS, "retry_turns", completed))
    assert said == f"{completed}: A turn that is completed is not tried again. (STORE_CONFLICT)"


def test_a_form_that_is_sent_twice_repeats_no_command(room: GroupXConfig, person: Client, clock: FakeClock) -> None:
    failed = given.ended_turn("builder", TurnStatus.FAILED, clock=clock).turn_id
    form = asked(person, TURNS, "retry_turns", failed)
    assert done(person, TURNS, form) == done(person, TURNS, form)
    assert Turn.objects.filter(retry_of=failed).count() == 1


@pytest.mark.parametrize("what", ["memory", "identity"])
def test_a_record_is_retracted_by_the_persons_command(
    what: str, room: GroupXConfig, person: Client, clock: FakeClock
) -> None:
    model = {"memory": MemoryRecord, "identity": IdentityRecord}[what]
    kept = given.remembered(clock=clock) if what == "memory" else given.identified("agent:builder", "x", clock=clock)
    address, row = reverse(f"admin:memory_{what}record_changelist"), model.objects.get(record_id=kept).pk
    assert done(person, address, asked(person, address, f"retract_{what}", row)) == [f"{kept}: is retracted"]
    assert model.objects.get(record_id=kept).status == "retracted"
    [again] = done(person, address, asked(person, address, f"retract_{what}", row))
    assert "(STORE_CONFLICT)" in again


def test_an_agent_is_restarted(room: GroupXConfig, person: Client, clock: FakeClock) -> None:
    given.a_lane("builder", clock=clock)
    assert done(person, LANES, asked(person, LANES, "restart_agents", "agent:builder")) == ["agent:builder: restarts"]
    assert Lane.objects.get(actor_id="agent:builder").restart_generation == 1


def test_an_action_can_be_chosen_on_a_turns_own_page(room: GroupXConfig, person: Client, clock: FakeClock) -> None:
    turn_id = given.queued_turn("builder", clock=clock)
    page = reverse("admin:turns_turn_change", args=[turn_id.replace("_", "_5F")])
    names = re.findall(r'name="([\w-]*action)"', person.get(page).content.decode())
    form = {name: "cancel_turns" for name in names if not name.startswith("_")}
    answer = person.post(page, {**form, "_selected_action": turn_id})
    assert answer.status_code == 200 and 'name="confirmed"' in answer.content.decode()


def test_more_than_a_hundred_at_once_are_refused(room: GroupXConfig, person: Client, clock: FakeClock) -> None:
    waiting = [given.queued_turn(name, clock=clock) for name in ("builder", "reviewer") for _ in range(51)]
    form = {"action": "cancel_turns", "_selected_action": waiting, "confirmed": "abc"}
    [said] = done(person, TURNS, form)
    assert said == "Select at most 100 at once; nothing was done."
    assert {status_of(turn) for turn in waiting} == {"queued"}


@pytest.mark.parametrize("number", ["", "\0", "<b>", "a" * 500])
def test_a_made_up_number_of_a_form_does_no_harm(
    number: str, room: GroupXConfig, person: Client, clock: FakeClock
) -> None:
    turn_id = given.queued_turn("builder", clock=clock)
    form = {"action": "cancel_turns", "_selected_action": [turn_id], "confirmed": number}
    assert person.post(TURNS, form).status_code in (200, 302)


def test_actions_that_delete_are_not_offered(person: Client) -> None:
    for table in TABLES.values():
        assert "delete_selected" not in [action.__name__ for action in table.actions or ()]


# ---------------------------------------------------------------- export
async def test_chosen_events_are_exported_as_the_export_writes_them(live_room: GroupXConfig, clock: FakeClock) -> None:
    await in_db(given.completed_turn, "builder", clock=clock, text="the answer\nin two lines, 你好")
    events = await in_db(events_after, 0, 100)
    chosen = await in_db(lambda: list(Event.objects.order_by("-seq").values_list("pk", flat=True)[:3]))
    person = AsyncClient()
    await person.get(await in_db(lambda: sign_in_path(new_sign_in_token())))

    answer = await person.post(EVENTS, {"action": "export_as_jsonl", "_selected_action": chosen})

    text = b"".join([part async for part in answer.streaming_content]).decode()
    assert text == "".join(jsonl_line(event) for event in events[-3:])
    seqs = [json.loads(line)["seq"] for line in text.splitlines()]
    assert answer.headers["Content-Type"] == "application/jsonl"
    assert f'filename="groupx-{seqs[0]}-{seqs[-1]}.jsonl"' in answer.headers["Content-Disposition"]


def test_an_export_has_a_bound() -> None:
    assert MOST_EXPORTED == 10_000


def test_agents_that_were_stopped_at_a_limit_are_let_go_on_once(
    room: GroupXConfig, person: Client, clock: FakeClock
) -> None:
    loop(clock)
    stop = LoopStop.objects.get()

    said = done(person, STOPS, asked(person, STOPS, "grant_limits", stop.pk))
    again = done(person, STOPS, asked(person, STOPS, "grant_limits", stop.pk))

    assert len(said) == 1 and said[0].endswith("the message that waited is sent")
    assert "STORE_CONFLICT" in again[0]
    assert Event.objects.filter(actor_id="agent:builder", body__content="once more").count() == 1


def test_a_message_to_an_agent_that_is_gone_is_dropped_where_they_are_let_go_on_without_it(
    room: GroupXConfig, person: Client, clock: FakeClock
) -> None:
    loop(clock)
    stop = LoopStop.objects.get()
    Actor.objects.filter(actor_id="agent:reviewer").update(enabled=False)

    [refused] = done(person, STOPS, asked(person, STOPS, "grant_limits", stop.pk))
    [said] = done(person, STOPS, asked(person, STOPS, "grant_limits_without_message", stop.pk))

    assert "UNKNOWN_TARGET" in refused
    assert said.endswith("now")
    assert Event.objects.get(type="routing.loop_released").body["withoutMessage"] is True


def test_the_list_of_stops_says_who_wanted_to_call_whom_and_finds_those_that_still_wait(
    room: GroupXConfig, person: Client, clock: FakeClock
) -> None:
    loop(clock)
    stop = LoopStop.objects.get()

    waiting = person.get(STOPS, {"state": "waits"}).content.decode()
    done(person, STOPS, asked(person, STOPS, "grant_limits", stop.pk))
    granted = person.get(STOPS, {"state": "granted"}).content.decode()

    for shown in (waiting, granted):
        assert stop.pk in shown and "agent:builder" in shown and "agent:reviewer" in shown and "once more" in shown
    assert stop.pk not in person.get(STOPS, {"state": "waits"}).content.decode().split('id="result_list"')[-1]

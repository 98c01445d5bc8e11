"""A room with a history, and somebody who is signed in to its admin."""

import pytest
from django.db import transaction
from django.test import Client

from adapters.contract import Capability, Evidence
from assistant.actions.ask_question import ask_question
from assistant.actions.take_over import take_over
from assistant.models import AssistantMessage
from assistant.state import QuestionState
from groupx.kernel.config import GroupXConfig, Limits
from groupx.kernel.errors import GroupXError
from groupx.sign_in import new_sign_in_token, sign_in_path
from memory.models import CompactionLease, ContextFloor, RollupState, Summary
from rooms.bodies import UsageTold
from rooms.vocabulary import MAIN_ROOM
from tests import given
from tests import given_calls as calls
from tests.fakes.clock import FakeClock
from tests.turns.supervising import supervised
from turns.actions.note_evidence import CliFacts, note_check
from turns.models import AgentJob
from turns.partial_text import add_piece
from turns.state import JobKind, JobStatus, TurnStatus


def loop(clock: FakeClock) -> str:
    """The builder was stopped from calling the reviewer a second time; gives the root."""
    limits = Limits(actor_calls_per_root=1)
    builder = calls.member("builder", clock=clock)
    calls.sent(builder, "reviewer", limits=limits, clock=clock)
    with pytest.raises(GroupXError):
        calls.sent(builder, "reviewer", limits=limits, content="once more", clock=clock)
    calls.ended(builder, status=TurnStatus.FAILED, clock=clock)
    return builder.turn.root_correlation_id


def context(clock: FakeClock) -> None:
    """A summary that took in another, a reset, a compaction under way, dated memory, a job of each end."""
    now, room = clock.now(), MAIN_ROOM
    told = {"room_id": room, "writer_id": "agent:builder", "created_at": now}
    first = Summary.objects.create(
        summary_id="sum_1", from_seq=1, through_seq=3, content="old", status="superseded", superseded_at=now, **told
    )
    Summary.objects.create(
        summary_id="sum_2", from_seq=1, through_seq=6, content="what <b>was</b> said", supersedes=first, **told
    )
    ContextFloor.objects.create(room_id=room, reset_through_seq=2)
    CompactionLease.objects.create(room_id=room, token="lease", expires_at=now)
    RollupState.objects.create(actor_id="agent:builder", day=now.date(), failures=1, last_error="<i>busy</i>")
    asked = {"actor_id": "agent:builder", "kind": JobKind.SUMMARY, "asked_by": "agent:scribe", "fingerprint": "same"}
    times = {"created_at": now, "expires_at": now}
    AgentJob.objects.create(job_id="job_1", status=JobStatus.WAITING, prompt="sum this up", **asked, **times)
    AgentJob.objects.create(job_id="job_2", status=JobStatus.FAILED, message="broke", ended_at=now, **asked, **times)


def conversation(clock: FakeClock) -> None:
    """A question that broke off with its brain, and one that waits."""
    ask_question("ask-1", "who <b>is</b> here?", clock=clock)
    AssistantMessage.objects.update(state=QuestionState.RUNNING)
    take_over("brain", "handle", driver="acp", cwd="/room", pid=7, clock=clock)
    ask_question("ask-2", "what do they do?", clock=clock)


@pytest.fixture
def history(room: GroupXConfig, clock: FakeClock) -> GroupXConfig:
    """One turn of each kind of end, one that waits, one that runs, one that is watched, one that met a limit."""
    used = UsageTold(input_tokens=1200, output_tokens=310, total_tokens=1510, cost_usd=0.0125)
    given.completed_turn("builder", clock=clock, text="the answer <b>of</b> the builder", usage=used)
    given.ended_turn("reviewer", TurnStatus.INTERRUPTED, clock=clock)
    given.cancelled(given.queued_turn("scribe", clock=clock), clock=clock)
    running = given.running_turn("scribe", clock=clock)
    with transaction.atomic():
        add_piece(running.attempt_id, "so far")
    given.queued_turn("scribe", clock=clock, content="wait for me")
    loop(clock)
    given.sent(given.a_message("builder", supervision=supervised("reviewer")), clock=clock)
    facts = CliFacts(driver="kimi", program="Kimi", launch="", version="2.1.0")
    note_check("agent:builder", facts, {}, {Capability.PROMPT: Evidence.VERIFIED}, clock=clock)
    source = given.sent(given.a_message("builder", content="remember this"), clock=clock).result["messageEventId"]
    first = given.remembered("<b>first</b> version", clock=clock, sourceEventId=source)
    given.superseded(first, "second version", clock=clock)
    given.identified("agent:builder", "careful", clock=clock)
    context(clock)
    conversation(clock)
    return room


@pytest.fixture
def person(room: GroupXConfig, client: Client) -> Client:
    """Signed in by a link."""
    assert client.get(sign_in_path(new_sign_in_token())).status_code == 302
    return client

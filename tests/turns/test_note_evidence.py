"""What is known of a version of a CLI is kept once, and shown by all its agents (docs/protocol.md, "Capabilities")."""

import pytest
from django.db import IntegrityError

from adapters.contract import Capability, Evidence
from groupx.kernel.config import GroupXConfig
from tests import given
from tests.fakes.clock import FakeClock
from turns.actions.lane_status import set_lane_status
from turns.actions.note_evidence import CliFacts, KnownCli, keep_evidence, meet_cli, note_check, note_mcp_use
from turns.evidence import Source
from turns.models import CapabilityEvidence
from turns.queries.agents import agent_view, agent_views
from turns.state import LaneStatus

TOLD = {Capability.STREAM: Evidence.DOCUMENTED, Capability.RESUME: Evidence.PROBED}


def facts(version: str = "1.0", **more: str) -> CliFacts:
    return CliFacts(**{"driver": "kimi", "program": "Kimi", "launch": "", "version": version, **more})


def at_work(name: str, clock: FakeClock, version: str = "1.0", **more: str) -> KnownCli:
    """The agent's lane has opened a session with this version."""
    given.a_lane(name, clock=clock)
    cli = meet_cli(facts(version, **more), TOLD, clock=clock)
    bound = given.a_session(name, clock=clock)
    set_lane_status(
        f"agent:{name}", "lane", LaneStatus.READY, cli_id=cli.cli_id, instance_id=bound.instance_id, clock=clock
    )
    return cli


def shown(name: str) -> dict[str, str]:
    wire = agent_view(f"agent:{name}").wire()
    return {what: known["evidence"] for what, known in wire["capabilities"].items()}


def test_an_agent_shows_what_its_session_told_and_since_when(room: GroupXConfig, clock: FakeClock):
    at_work("builder", clock)
    wire = agent_view("agent:builder").wire()
    assert wire["cli"] == {"name": "Kimi", "version": "1.0"}
    assert shown("builder") == {"stream": "documented", "resume": "probed"}
    assert wire["capabilities"]["stream"]["seenAt"].startswith(str(clock.now().year))
    assert "cli" not in agent_view("agent:scribe").wire() and shown("scribe") == {}


def test_what_one_agent_shows_is_shown_by_all_of_the_same_version(room: GroupXConfig, clock: FakeClock):
    cli = at_work("builder", clock)
    at_work("reviewer", clock)
    keep_evidence(cli.cli_id, {Capability.STREAM: Evidence.VERIFIED}, Source.TURN, clock=clock)
    assert shown("builder")["stream"] == shown("reviewer")["stream"] == "verified"
    assert {view.actor_id: view for view in agent_views()}["agent:reviewer"].cli.capabilities[
        Capability.STREAM
    ].evidence is Evidence.VERIFIED


def test_another_version_begins_again_with_what_it_tells(room: GroupXConfig, clock: FakeClock):
    cli = at_work("builder", clock)
    keep_evidence(cli.cli_id, {Capability.STREAM: Evidence.VERIFIED}, Source.TURN, clock=clock)
    at_work("builder", clock, version="1.1")
    assert shown("builder")["stream"] == "documented"
    at_work("builder", clock)
    assert shown("builder")["stream"] == "verified", "the older one is still known"


def test_another_way_of_starting_is_another_cli(room: GroupXConfig, clock: FakeClock):
    first = at_work("builder", clock)
    assert at_work("reviewer", clock, launch="abc").cli_id != first.cli_id


def test_evidence_of_a_driver_that_the_agent_no_longer_has_is_not_shown(room: GroupXConfig, clock: FakeClock):
    at_work("builder", clock, driver="grok")
    assert shown("builder") == {}


def test_the_day_is_that_of_the_first_time(room: GroupXConfig, clock: FakeClock):
    cli = at_work("builder", clock)
    keep_evidence(cli.cli_id, {Capability.STREAM: Evidence.VERIFIED}, Source.TURN, clock=clock)
    first = CapabilityEvidence.objects.get(capability="stream").seen_at
    clock.tick(86_400)
    keep_evidence(cli.cli_id, {Capability.STREAM: Evidence.VERIFIED}, Source.TURN, clock=clock)
    assert CapabilityEvidence.objects.get(capability="stream").seen_at == first


def test_an_agent_that_asks_for_the_rooms_tools_is_seen_to_reach_them_and_by_a_call_to_use_them(
    room: GroupXConfig, clock: FakeClock
):
    at_work("builder", clock)
    handle = given.last_handle()
    note_mcp_use(handle, is_call=False, clock=clock)
    assert shown("builder")["mcp"] == "probed"
    note_mcp_use(handle, is_call=True, clock=clock)
    note_mcp_use(handle, is_call=False, clock=clock)
    assert shown("builder")["mcp"] == "verified"
    note_mcp_use("of-nobody", is_call=True, clock=clock)


def test_what_the_doctor_saw_is_shown_by_the_agent(room: GroupXConfig, clock: FakeClock):
    given.a_lane("builder", clock=clock)
    note_check("agent:builder", facts(), TOLD, {Capability.PROMPT: Evidence.VERIFIED}, clock=clock)
    assert shown("builder") == {"prompt": "verified", "stream": "documented", "resume": "probed"}
    assert CapabilityEvidence.objects.get(capability="prompt").source == "check"


@pytest.mark.parametrize(
    "row",
    [
        {"capability": "flight", "evidence": "probed", "source": "handshake"},
        {"capability": "prompt", "evidence": "guessed", "source": "handshake"},
        {"capability": "prompt", "evidence": "verified", "source": "handshake"},
        {"capability": "prompt", "evidence": "documented", "source": "turn"},
        {"capability": "resume", "evidence": "probed", "source": "handshake"},
    ],
)
def test_the_database_refuses_what_cannot_have_been_seen(room: GroupXConfig, clock: FakeClock, row: dict[str, str]):
    cli = at_work("builder", clock)
    with pytest.raises(IntegrityError):
        CapabilityEvidence.objects.create(cli_id=cli.cli_id, seen_at=clock.now(), **row)

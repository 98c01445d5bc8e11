"""`/mcp`: who calls is known by the binding alone (protocol sections 3 and 12; docs/protocol.md, "Agents' address")."""

import json

import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from adapters.contract import Capability, Evidence
from rooms.actions.bind_session import NewSession, bind_session, unbind_session
from rooms.transactions import in_db, in_reader
from tests import given
from tests.turns.tool_clients import http_to, tool_server
from turns.actions.note_evidence import CliFacts, meet_cli, note_check
from turns.models import CapabilityEvidence, Lane

pytestmark = pytest.mark.django_db(transaction=True)
LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


async def an_open_binding(clock, handle="the-handle"):
    new = NewSession(
        handle=handle,
        pid=1,
        process_started_at=1.0,
        native_session_id="n",
        cwd="/tmp",
        resumed=False,
        context_lost=False,
        agent_name=None,
        agent_version=None,
    )
    return await in_db(bind_session, given.agent("builder"), new, clock=clock)


@pytest.fixture
async def http(live_room, clock):
    async with tool_server(clock) as mount, http_to(mount) as client:
        yield client


async def refused(http, method="POST", **headers) -> tuple[int, str]:
    answer = await http.request(method, "/mcp", headers=headers, content=json.dumps(LIST_TOOLS))
    return answer.status_code, answer.json()["error"]["code"]


async def test_without_a_binding_nobody_is_served(http):
    assert await refused(http) == (400, "MCP_BINDING_MISMATCH")
    assert await refused(http, **{"X-GroupX-Binding": "invented"}) == (400, "MCP_BINDING_MISMATCH")


async def test_the_binding_of_a_closed_session_opens_nothing(http, clock):
    bound = await an_open_binding(clock)
    await in_db(unbind_session, given.agent("builder"), bound, exit_code=0, reason=None, clock=clock)

    assert await refused(http, **{"X-GroupX-Binding": "the-handle"}) == (400, "MCP_BINDING_MISMATCH")


async def test_an_agent_that_a_policy_blocks_has_no_tools(http, clock):
    bound = await an_open_binding(clock)
    await in_db(unbind_session, given.agent("builder"), bound, exit_code=0, reason=None, clock=clock)
    await in_db(given.a_lane, "builder", clock=clock)
    await Lane.objects.filter(actor_id="agent:builder").aupdate(status="native_policy_blocked")

    assert await refused(http, **{"X-GroupX-Binding": "the-handle"}) == (503, "MCP_UNAVAILABLE")


async def test_an_agent_whose_cli_takes_no_tools_has_none(http, clock):
    await an_open_binding(clock)
    facts = CliFacts(driver="acp", program="plain", launch="", version="1")
    await in_db(given.a_lane, "builder", clock=clock)
    await in_db(note_check, "agent:builder", facts, {Capability.MCP: Evidence.UNSUPPORTED}, {}, clock=clock)

    assert await refused(http, **{"X-GroupX-Binding": "the-handle"}) == (503, "MCP_UNAVAILABLE")


async def test_a_browser_is_refused_whatever_it_shows(http, clock):
    await an_open_binding(clock)

    headers = {"X-GroupX-Binding": "the-handle", "Origin": "http://127.0.0.1:4310"}
    assert await refused(http, **headers) == (403, "ORIGIN_FORBIDDEN")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_nothing_but_post_is_taken(http, clock, method):
    await an_open_binding(clock)

    assert await refused(http, method, **{"X-GroupX-Binding": "the-handle"}) == (405, "METHOD_NOT_ALLOWED")


async def test_whoever_comes_for_the_tools_is_seen_to_reach_them_and_a_call_to_use_them(http, clock):
    bound = await an_open_binding(clock, "another-handle")
    await in_db(given.a_lane, "builder", clock=clock)
    facts = CliFacts(driver="kimi", program="Kimi", launch="", version="1")
    cli = await in_db(meet_cli, facts, {}, clock=clock)
    await in_db(
        lambda: Lane.objects.filter(actor_id="agent:builder").update(cli=cli.cli_id, instance=bound.instance_id)
    )
    http.headers["X-GroupX-Binding"] = "another-handle"

    def mcp() -> str | None:
        return CapabilityEvidence.objects.filter(capability="mcp").values_list("evidence", flat=True).first()

    async with Client(streamable_http_client("http://127.0.0.1:4310/mcp", http_client=http)) as client:
        assert await in_reader(mcp) is None
        await client.list_tools()
        assert await in_reader(mcp) == "probed"
        assert (await client.call_tool("send", {})).is_error
        assert await in_reader(mcp) == "verified"


@pytest.mark.parametrize("media_type", ["text/plain", "application/jsonx", ""])
async def test_what_is_not_sent_as_json_is_refused_in_the_shape_of_all_errors(http, clock, media_type):
    await an_open_binding(clock)

    headers = {"X-GroupX-Binding": "the-handle", "Content-Type": media_type}
    assert await refused(http, **headers) == (415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("before", ["", " \n"])
async def test_a_batch_is_refused_in_the_shape_of_all_errors(http, clock, before):
    await an_open_binding(clock)

    headers = {"X-GroupX-Binding": "the-handle", "Content-Type": "application/json"}
    answer = await http.post("/mcp", headers=headers, content=before + json.dumps([LIST_TOOLS, LIST_TOOLS]))

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_ENVELOPE")

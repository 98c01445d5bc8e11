"""A CLI may come to the room's MCP server while its session is still opening: it is let in (docs/protocol.md)."""

from collections.abc import Callable

import pytest

from adapters.contract import AdapterError, AgentSpec, McpEndpoint, OpenedProcess
from groupx.kernel.errors import ErrorCode
from rooms.models import SessionBinding
from rooms.transactions import in_reader
from tests.fakes.adapter import ScriptedDriver, ScriptedSession
from tests.turns.stage import LaneStage
from turns.models import Lane
from turns.queries.members import check_handle

pytestmark = pytest.mark.django_db(transaction=True)


class Early(ScriptedDriver):
    """A CLI that comes with its handle before it answers to the handshake."""

    def __init__(self, *script: ScriptedSession | AdapterError) -> None:
        super().__init__(*script)
        self.let_in = 0

    async def open(
        self,
        spec: AgentSpec,
        mcp: McpEndpoint | None,
        resume: str | None,
        on_spawn: Callable[[OpenedProcess], None] | None = None,
    ) -> ScriptedSession:
        assert mcp is not None
        await in_reader(check_handle, mcp.binding_handle)
        self.let_in += 1
        return await super().open(spec, mcp, resume, on_spawn)


async def test_a_cli_that_comes_while_it_opens_is_let_in_and_is_the_same_binding_afterwards(live_room):
    driver = Early(ScriptedSession())
    async with LaneStage(live_room, "builder", driver=driver) as lane:
        await lane.until(lambda: Lane.objects.filter(status="ready").exists())
        [binding] = await in_reader(lambda: list(SessionBinding.objects.filter(actor_id="agent:builder")))
    assert driver.let_in == 1
    assert (binding.native_session_id, binding.closed_at) == ("native-1", None) and binding.instance_id


async def test_a_session_that_does_not_come_about_leaves_no_way_in(live_room):
    driver = Early(AdapterError(ErrorCode.NATIVE_AUTH_REQUIRED, "Sign in first."))
    async with LaneStage(live_room, "builder", driver=driver) as lane:
        await lane.until(lambda: Lane.objects.filter(status="failed").exists())
    assert driver.let_in == 1
    assert not await in_reader(lambda: SessionBinding.objects.filter(actor_id="agent:builder").exists())

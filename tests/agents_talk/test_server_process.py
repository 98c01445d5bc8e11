"""The process that serves the tools ends when it is told to, whatever was called."""

import psutil

from tests.agents_talk.talking_room import agents, call
from turns.tools.catalog import TOOLS

EXIT_SECONDS = 10
ARGUMENTS = {
    "send": {"to": agents("ben"), "content": "hello"},
    "publish": {"content": "hello"},
    "ask": {"to": agents("ben"), "content": "hello"},
    "memory_search": {"query": "hello"},
    "memory_remember": {"content": "hello"},
    "core_memory_remember": {"content": "hello"},
    "identity_remember": {"content": "hello"},
}
"""Of tools that need some; what does not fit the others is a call as well."""


def test_after_calls_of_all_tools_the_server_ends_when_it_is_told_to(room):
    """A thread that the SDK starts for a tool, and nobody stops, would hold it."""
    names = [tool.name for tool in TOOLS]
    told = room.tell(
        "ada", *(call(name, era=era, **ARGUMENTS.get(name, {})) for name in names for era in ("old", "new"))
    )
    assert [called["tool"] for called in told.calls()] == [name for name in names for _ in range(2)]
    [server] = room.processes("groupx_serve")

    server.terminate()

    _, alive = psutil.wait_procs([server], timeout=EXIT_SECONDS)
    assert not alive
    assert "serve_did_not_end" not in room.log()

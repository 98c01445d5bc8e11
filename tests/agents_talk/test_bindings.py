"""The handle by which a session is known: random, of that session alone, closed with it (protocol section 3.3)."""

import http.client
import json
import uuid
from typing import Any

import pytest

from tests.agents_talk.talking_room import NAMES, TalkingRoom, call, say

HEADER = "X-GroupX-Binding"
LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def handles(room: TalkingRoom, name: str) -> list[str]:
    """Those that the sessions of an agent were given, oldest first."""
    heard = [row["params"] for row in room.noted(name, "heard") if row["method"].startswith("session/")]
    servers = [server for params in heard for server in params.get("mcpServers", [])]
    return [header["value"] for server in servers for header in server["headers"] if header["name"] == HEADER]


def post(room: TalkingRoom, handle: str | None, body: object = LIST_TOOLS, path: str = "/mcp") -> tuple[int, str]:
    """A request of whoever knows, or invents, a handle: the status, and the answer as text."""
    connection = http.client.HTTPConnection("127.0.0.1", room.port, timeout=20)
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
        **({HEADER: handle} if handle is not None else {}),
    }
    try:
        connection.request("POST", path, json.dumps(body), headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def restart(room: TalkingRoom) -> None:
    assert room.command("/api/agents/agent:ada/restart")[0] == 202


def break_the_protocol(room: TalkingRoom) -> None:
    """An answer to no request: nothing that this session says can be trusted from here on."""
    failed = room.tell("ada", say("I "), {"frame": {"id": 987, "result": {}}}, {"wait": ""}).until()
    assert failed["errorCode"] == "PROTOCOL_INVALID_MESSAGE"


@pytest.mark.parametrize("handle", [None, "", "agent:ada", "0" * 32], ids=["none", "empty", "a name", "invented"])
def test_nobody_is_served_without_the_handle_of_an_open_session(room, handle):
    status, answer = post(room, handle)

    assert (status, json.loads(answer)["error"]["code"]) == (400, "MCP_BINDING_MISMATCH")


@pytest.mark.parametrize("path", ["/mcp/operator", "/operator/mcp"])
def test_the_handle_of_an_agent_opens_no_address_of_the_assistant(room, path):
    room.tell("ada", say("hello")).until()
    handle = handles(room, "ada")[-1]

    assert post(room, handle)[0] == 200
    status, answer = post(room, handle, path=path)
    assert (status, json.loads(answer)["error"]["code"]) == (400, "MCP_BINDING_MISMATCH")


def published_by(room: TalkingRoom) -> dict[str, Any]:
    """Who the room says has said something."""
    event_id = room.tell("ada", call("publish", content="it is me")).result()["messageEventId"]
    actor: dict[str, Any] = room.event(event_id)["actor"]
    return actor


@pytest.mark.parametrize("ending", [restart, break_the_protocol])
def test_a_new_session_has_a_new_handle_and_the_old_one_opens_nothing(room, ending):
    was = published_by(room)
    ending(room)
    now = published_by(room)
    old, new = handles(room, "ada")[-2:]

    assert (was["actorId"], now["actorId"]) == ("agent:ada", "agent:ada")
    assert was["instanceId"] != now["instanceId"]
    assert old != new
    assert min(len(old), len(new)) >= 22  # 128 bits, however they are written
    status, answer = post(room, old)
    assert (status, json.loads(answer)["error"]["code"]) == (400, "MCP_BINDING_MISMATCH")
    assert post(room, new)[0] == 200


def test_every_session_has_its_own(room):
    known = [handle for name in ("ada", "ben") for handle in handles(room, name)]

    assert known and len(set(known)) == len(known)


def test_between_turns_the_tools_answer_that_there_is_no_turn(room):
    room.tell("ada", call("read")).results()
    arguments = {"content": "x", "clientCommandId": uuid.uuid4().hex}
    publish = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "publish", "arguments": arguments}}
    before = room.get("/api/bootstrap")["cursor"]

    status, answer = post(room, handles(room, "ada")[-1], publish)

    assert status == 200
    assert "SESSION_NOT_AVAILABLE" in answer
    assert room.get("/api/bootstrap")["cursor"] == before


def test_no_public_answer_tells_a_handle_or_a_native_session(room):
    told = room.tell("ada", call("read", limit=200))
    read = told.result()
    sessions = [(room.folder / name / "agent-sessions.txt").read_text().split() for name in NAMES]
    secrets = {handle for name in NAMES for handle in handles(room, name)} | {one for many in sessions for one in many}

    public = json.dumps(
        [
            read,
            room.events(),
            room.get("/api/bootstrap"),
            room.get("/api/agents"),
            room.get(f"/api/turns/{told.turn_id}"),
            room.get(f"/api/turns/{told.turn_id}/packet"),
        ]
    )

    assert len(secrets) > len(NAMES)
    assert [secret for secret in secrets if secret in public] == []
    assert '"binding' not in public

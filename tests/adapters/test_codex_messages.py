"""What is said to the app server of Codex before a turn, and what its replies mean. Our contract."""

from pathlib import Path
from typing import Any

import pytest

from adapters.codex import messages, wire
from adapters.codex.messages import forbidden_by, read_thread, read_turn_id, read_version, thread_params, turn_params
from adapters.contract import McpEndpoint
from adapters.jsonrpc import ProtocolViolation

CWD = Path("/w")
ENDPOINT = McpEndpoint(url="http://127.0.0.1:4310/mcp", binding_handle="handle")


@pytest.mark.parametrize(
    "frame",
    [wire.request(1, "m", {}), wire.notification("m", {}), wire.result(1, {}), wire.refusal(1, "m")],
    ids=["request", "notification", "result", "refusal"],
)
def test_no_frame_has_the_member_jsonrpc(frame: dict[str, Any]):
    assert "jsonrpc" not in frame


def test_a_thread_asks_nobody_and_is_kept_in_no_sandbox():
    assert thread_params(CWD, None) == {"cwd": "/w", "approvalPolicy": "never", "sandbox": "danger-full-access"}


def test_a_thread_gets_the_rooms_mcp_server_beside_the_persons_own():
    config = thread_params(CWD, ENDPOINT)["config"]
    server = {"url": ENDPOINT.url, "http_headers": {"X-GroupX-Binding": "handle"}}
    assert config == {"mcp_servers": {"groupx": server}}


def test_a_resume_gives_everything_again_and_wants_no_history():
    params = thread_params(CWD, ENDPOINT, "t")
    assert params == {"threadId": "t", **thread_params(CWD, ENDPOINT), "excludeTurns": True}


def test_a_prompt_has_no_half_of_a_surrogate_pair():
    assert turn_params("t", "a\ud800b")["input"] == [{"type": "text", "text": "a\ufffdb"}]


@pytest.mark.parametrize(
    ("reply", "version"),
    [
        ({"userAgent": "groupx/0.171.0 (Debian 12.0.0; x86_64) xterm (groupx; 0.1)"}, "0.171.0"),
        ({"userAgent": "groupx/0.172.0-alpha.3 (x)"}, "0.172.0-alpha.3"),
        ({"userAgent": "something else"}, None),
        ({"userAgent": 5}, None),
        ({}, None),
        (None, None),
    ],
)
def test_the_version_is_read_out_of_the_user_agent(reply: object, version: str | None):
    assert read_version(reply) == version


@pytest.mark.parametrize(
    ("requirements", "forbidden"),
    [
        (None, None),
        ({}, None),
        ({"allowedApprovalPolicies": None, "allowedSandboxModes": None}, None),
        ({"allowedApprovalPolicies": ["never", "on-request"], "allowedSandboxModes": ["danger-full-access"]}, None),
        ({"allowedApprovalPolicies": ["on-request"]}, "never"),
        ({"allowedApprovalPolicies": []}, "never"),
        ({"allowedSandboxModes": ["read-only", "workspace-write"]}, "danger-full-access"),
    ],
)
def test_a_managed_machine_may_forbid_what_we_need(requirements: object, forbidden: str | None):
    assert forbidden_by({"requirements": requirements}) == forbidden


def test_a_reply_without_requirements_forbids_nothing():
    assert forbidden_by(None) is None


@pytest.mark.parametrize(
    ("settings", "is_restricted"),
    [
        ({"approvalPolicy": "never", "sandbox": {"type": "dangerFullAccess"}}, False),
        ({}, False),
        ({"approvalPolicy": "never", "sandbox": "danger-full-access"}, False),
        ({"approvalPolicy": "on-request", "sandbox": {"type": "dangerFullAccess"}}, True),
        ({"approvalPolicy": {"granular": {}}, "sandbox": {"type": "dangerFullAccess"}}, True),
        ({"approvalPolicy": "never", "sandbox": {"type": "workspaceWrite"}}, True),
        ({"approvalPolicy": "never", "sandbox": "read-only"}, True),
    ],
)
def test_a_thread_that_is_kept_to_a_stricter_setting_says_so(settings: dict[str, Any], is_restricted: bool):
    thread = read_thread({"thread": {"id": "t"}, **settings})
    assert (thread.id, thread.is_restricted) == ("t", is_restricted)


@pytest.mark.parametrize("reply", [None, "t", {}, {"thread": {}}, {"thread": {"id": 5}}, {"thread": {"id": ""}}])
def test_a_thread_without_an_id_is_none(reply: object):
    with pytest.raises(ProtocolViolation):
        read_thread(reply)


@pytest.mark.parametrize(
    ("reply", "turn_id"), [({"turn": {"id": "u"}}, "u"), ({"turn": {}}, None), ({"turn": None}, None), (None, None)]
)
def test_a_prompt_is_answered_with_the_name_of_its_turn(reply: object, turn_id: str | None):
    assert read_turn_id(reply) == turn_id


@pytest.mark.parametrize("reply", ["u", {"turn": "u"}, {"turn": {"id": 5}}])
def test_a_turn_of_a_wrong_type_breaks_the_protocol(reply: object):
    with pytest.raises(ProtocolViolation):
        read_turn_id(reply)


def test_no_answer_to_a_question_grants_anything():
    text = str(messages.CANCELLED)
    assert not any(word in text for word in ("accept", "approved", "allow", "grant"))

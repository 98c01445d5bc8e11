"""REST of the setup as a client sees it: answers, refusals, and a trial that ends when its client leaves."""

import json
from pathlib import Path
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from channels.routing import URLRouter

from groupx.setup.api import routes
from tests.openapi.validation import response_validator
from tests.running_room import scripted
from tests.setup.desks import AGENT, a_desk, a_draft, an_agent_draft, text_of, write
from tests.setup.trials import HANGS, running_in, until, working_trials

SECONDS = 60


def client_of(path: Path, method: str, target: str, body: Any = None, *, is_running: bool = True):
    application = URLRouter(routes(a_desk(path, is_running=is_running)))
    scope = {"type": "http", "method": method, "path": target, "query_string": b"", "headers": []}
    client = ApplicationCommunicator(application, scope)
    return client, {"type": "http.request", "body": b"" if body is None else json.dumps(body).encode()}


async def asked(path: Path, method: str, target: str, body: Any = None, **more: Any) -> tuple[int, Any]:
    client, request = client_of(path, method, target, body, **more)
    await client.send_input(request)
    start = await client.receive_output(SECONDS)
    answer = await client.receive_output(SECONDS)
    await client.wait(SECONDS)
    return start["status"], json.loads(answer["body"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path, {"agents": {"builder": AGENT}})


@pytest.mark.parametrize(
    ("method", "target", "body"),
    [
        ("GET", "/api/setup", None),
        ("POST", "/api/setup", {"config": a_draft(an_agent_draft(name="Other"))}),
        ("POST", "/api/setup/check", {"config": {}}),
        ("POST", "/api/setup/test", {"agent": an_agent_draft(command="no-such-cli")}),
        ("GET", "/api/setup/pending", None),
        ("GET", "/api/setup/launch", None),
    ],
)
@pytest.mark.parametrize("is_running", [True, False])
async def test_it_answers_as_documented_in_a_room_and_before_there_is_one(
    path: Path, method: str, target: str, body: Any, is_running: bool
):
    status, answer = await asked(path, method, target, body, is_running=is_running)
    assert status == 200
    response_validator(method, target, 200).validate(answer)


@pytest.mark.parametrize("target", ["/api/setup", "/api/setup/check", "/api/setup/test"])
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "INVALID_ENVELOPE"),
        ([], "INVALID_ENVELOPE"),
        ({"config": a_draft(), "agent": an_agent_draft()}, "INVALID_ENVELOPE"),
        ({"config": 5, "agent": 5}, "INVALID_ENVELOPE"),
        ({"config": a_draft(), "from": "x"}, "SENDER_FIELD_FORBIDDEN"),
    ],
)
async def test_what_is_no_request_is_refused_and_changes_nothing(path: Path, target: str, body: Any, code: str):
    before = text_of(path)
    status, answer = await asked(path, "POST", target, body)
    assert (status, answer["error"]["code"]) == (400, code)
    response_validator("POST", target, 400).validate(answer)
    assert text_of(path) == before


async def test_a_file_that_is_not_written_over_is_a_conflict(path: Path):
    write(path.parent, "{")
    status, answer = await asked(path, "POST", "/api/setup", {"config": a_draft()}, is_running=False)
    assert (status, answer["error"]["code"]) == (409, "FILE_REFUSED")
    response_validator("POST", "/api/setup", 409).validate(answer)


@pytest.mark.parametrize(("method", "target"), [("DELETE", "/api/setup"), ("GET", "/api/setup/test")])
async def test_another_method_is_none(path: Path, method: str, target: str):
    status, answer = await asked(path, method, target)
    assert (status, answer["error"]["code"]) == (405, "METHOD_NOT_ALLOWED")


async def test_a_trial_ends_when_its_client_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_AGENT", HANGS)
    draft = {"agent": an_agent_draft(**{"id": "mine", **scripted("mine", tmp_path)})}
    client, request = client_of(tmp_path / "groupx.json", "POST", "/api/setup/test", draft, is_running=False)
    await client.send_input(request)
    await until(working_trials, "an agent that hangs")

    await client.send_input({"type": "http.disconnect"})
    await client.wait(SECONDS)
    assert running_in(tmp_path) == [] and client.output_queue.empty()

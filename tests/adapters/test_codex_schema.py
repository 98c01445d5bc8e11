"""What we say to Codex, and what we know of its notifications, held against the schema that the installed one writes of
itself: a second reading of the same protocol."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from adapters.codex import messages
from adapters.codex.items import UnknownItem, read_item
from adapters.codex.updates import UnknownUpdate, read_update
from adapters.contract import McpEndpoint
from adapters.jsonrpc import Notification, ProtocolViolation

pytestmark = [pytest.mark.live, pytest.mark.skipif(shutil.which("codex") is None, reason="codex is not on PATH")]

ENDPOINT = McpEndpoint(url="http://127.0.0.1:4310/mcp", binding_handle="handle")
CWD = Path("/w")
ANSWERS = {
    "item/commandExecution/requestApproval": "CommandExecutionRequestApprovalResponse",
    "item/fileChange/requestApproval": "FileChangeRequestApprovalResponse",
    "item/permissions/requestApproval": "PermissionsRequestApprovalResponse",
    "item/tool/requestUserInput": "ToolRequestUserInputResponse",
    "mcpServer/elicitation/request": "McpServerElicitationRequestResponse",
    "applyPatchApproval": "ApplyPatchApprovalResponse",
    "execCommandApproval": "ExecCommandApprovalResponse",
}


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("schemas")
    command = ["codex", "app-server", "generate-json-schema", "--experimental", "--out", str(folder)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return folder


def schema(schemas: Path, name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((schemas / f"{name}.json").read_text())
    return loaded


def named(one_of: list[dict[str, Any]], field: str) -> set[str]:
    """The values by which the shapes of a union are told apart."""
    return {shape["properties"][field]["enum"][0] for shape in one_of}


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("v1/InitializeParams", messages.initialize_params("0.1.0")),
        ("v2/ThreadStartParams", messages.thread_params(CWD, None)),
        ("v2/ThreadStartParams", messages.thread_params(CWD, ENDPOINT)),
        ("v2/ThreadResumeParams", messages.thread_params(CWD, ENDPOINT, "t")),
        ("v2/TurnStartParams", messages.turn_params("t", "hi")),
        ("v2/TurnInterruptParams", messages.interrupt_params("t", "u")),
    ],
)
def test_every_parameter_we_send_is_one_of_the_installed_codex(schemas: Path, name: str, params: dict[str, Any]):
    expected = schema(schemas, name)
    jsonschema.Draft7Validator(expected).validate(params)
    assert set(params) <= set(expected["properties"]), "it would be ignored"


@pytest.mark.parametrize("method", messages.CANCELLED)
def test_every_question_is_cancelled_in_its_own_form(schemas: Path, method: str):
    jsonschema.Draft7Validator(schema(schemas, ANSWERS[method])).validate(messages.CANCELLED[method])


def test_every_question_of_the_installed_codex_has_an_answer(schemas: Path):
    asked = named(schema(schemas, "ServerRequest")["oneOf"], "method")
    of_no_person = {"item/tool/call", "account/chatgptAuthTokens/refresh", "attestation/generate"}
    assert asked - of_no_person == set(messages.CANCELLED)


def test_every_kind_of_item_is_known(schemas: Path):
    items = schema(schemas, "ServerNotification")["definitions"]["ThreadItem"]["oneOf"]
    for kind in named(items, "type"):
        assert not isinstance(read_item({"type": kind, "id": "i"}, is_over=True), UnknownItem), kind


def test_every_notification_about_an_item_or_a_turn_is_known(schemas: Path):
    methods = named(schema(schemas, "ServerNotification")["oneOf"], "method")
    params = {"item": {"type": "sleep", "id": "i"}, "turn": {"id": "u"}}
    for method in methods:
        try:
            update = read_update(Notification(method, params))
        except ProtocolViolation:
            pytest.fail(method)
        assert update is None or not isinstance(update.what, UnknownUpdate), method

"""What we send, held against the models of ACP's own Python SDK: a second reading of the same specification."""

from pathlib import Path
from typing import Any

import pytest
from acp import schema
from pydantic import BaseModel

from adapters.acp import messages
from adapters.contract import McpEndpoint

ENDPOINT = McpEndpoint(url="http://127.0.0.1:4310/mcp", binding_handle="handle")


@pytest.mark.parametrize(
    ("model", "params"),
    [
        (schema.InitializeRequest, messages.initialize_params("0.1.0")),
        (schema.NewSessionRequest, messages.session_params(Path("/w"), None)),
        (schema.NewSessionRequest, messages.session_params(Path("/w"), ENDPOINT)),
        (schema.LoadSessionRequest, messages.session_params(Path("/w"), ENDPOINT, "s")),
        (schema.ResumeSessionRequest, messages.session_params(Path("/w"), ENDPOINT, "s")),
        (schema.SetSessionModeRequest, messages.mode_params("s", "auto")),
        (schema.PromptRequest, messages.prompt_params("s", "hi")),
        (schema.CancelNotification, messages.cancel_params("s")),
        (schema.RequestPermissionResponse, messages.CANCELLED_OUTCOME),
    ],
)
def test_every_parameter_we_send_is_one_of_the_specification(model: type[BaseModel], params: dict[str, Any]):
    read = model.model_validate(params)
    assert read.model_dump(by_alias=True, exclude_unset=True, mode="json") == params

"""`aig ask` with real CLIs: one run without a person, a scripted model on loopback (docs/aig.md, "Channels")."""

import json
import os
from pathlib import Path

import pytest

from adapters.headless.channels import CHANNELS
from tests.bus.aig import Aig
from tests.fakes.model_server import ModelServer
from tests.live.recipes import Recipe

pytestmark = pytest.mark.live
CHANNEL_OF = {"codebuddy": "workbuddy"}
TELLS_TOKENS = {"opencode", "codex", "claude", "gemini", "qwen", "workbuddy"}


@pytest.fixture
def transport(recipe: Recipe) -> str:
    name = CHANNEL_OF.get(recipe.driver, recipe.driver)
    if name not in CHANNELS:
        pytest.skip(f"the file bus has no channel for {name}")
    return name


@pytest.fixture
def aig(tmp_path: Path, recipe: Recipe, model: ModelServer, transport: str) -> Aig:
    """A room with one member, the CLI; it works in a folder that is no repository."""
    (tmp_path / "work").mkdir()
    aig = Aig(tmp_path / "home", **{"PATH": os.environ["PATH"], **recipe.env(tmp_path / "private", model)})
    aig.ok("use", "main")
    (aig.room() / "members.json").write_text(
        json.dumps({"agent": {"transport": transport, "cwd": str(tmp_path / "work")}})
    )
    return aig


def test_a_real_cli_is_asked_and_answers(aig: Aig, model: ModelServer, transport: str):
    assert aig.ok("ask", "agent", "SAY:hello from a real agent").strip() == "hello from a real agent"

    question, reply = aig.log()
    assert (reply["kind"], reply["reply_to"], reply["meta"]["channel"]) == ("reply", question["id"], transport)
    if transport in TELLS_TOKENS:
        assert reply["meta"]["tokens"]["input"] > 0 and reply["meta"]["tokens"]["output"] > 0
    asked = "\n".join(request.get("asked", "") for request in model.requests)
    assert "SAY:hello from a real agent" in asked and "Whom to trust" in asked
    assert "Now answer" in asked, "the whole prompt, as it was written"


def test_an_error_of_the_model_is_a_failure_that_the_room_sees(aig: Aig, transport: str):
    if transport == "workbuddy":
        pytest.skip("prints errors as plain text and ends with 0: they are its answer")
    aig.refused("ask", "agent", "ERROR:400", "--timeout", "120", code=4)

    failure = aig.log()[-1]
    assert failure["kind"] == "dispatch-error" and failure["text"].startswith(transport)
    assert aig.cursor("agent") == 0

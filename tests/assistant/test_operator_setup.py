"""The assistant's tools of the configuration file, by the official client (docs/mcp.md, "Operator")."""

import asyncio
import json

import pytest

from rooms.models import ClientCommand
from rooms.transactions import in_db
from tests.assistant.operator_stage import HANDLE
from tests.setup.desks import a_draft, an_agent_draft, text_of, write
from tests.turns.tool_clients import tools_for

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "groupx.json"


async def test_the_file_is_read_as_the_setup_page_shows_it(brain, path):
    told = await brain.answer("setup_read")
    assert (told["configPath"], told["existing"], told["runtimeActive"]) == (str(path), True, True)
    assert [agent["name"] for agent in told["config"]["agents"]] == ["Builder"]
    assert {"driver": "grok", "found": False}.items() <= next(
        driver for driver in told["drivers"] if driver["driver"] == "grok"
    ).items()


async def test_what_was_read_can_be_changed_and_saved_and_it_is_said_who_restarts(brain, path):
    config = (await brain.answer("setup_read"))["config"]
    config["agents"].append(an_agent_draft(id="critic", name="Critic"))

    saved = await brain.answer("setup_save", config=config, clientCommandId="1")

    assert (saved["saved"], saved["restartRequired"], saved["agents"]) == (True, True, ["builder", "critic"])
    assert saved["backupPath"] == f"{path}.bak"
    assert f"groupx restart --config {path}" in saved["hint"]
    assert list(json.loads(text_of(path))["agents"]) == ["builder", "critic"]
    receipt = await in_db(ClientCommand.objects.get)
    assert (receipt.binding_id, receipt.command_type) == ("binding:operator", "operator.setup_save")


async def test_a_save_that_is_repeated_does_not_undo_what_came_after_it(brain, path):
    command = {"config": a_draft(an_agent_draft(name="Ada")), "clientCommandId": "1"}
    saved = await brain.answer("setup_save", **command)
    write(path.parent, {"agents": {"builder": {"driver": "kimi", "name": "Grace", "command": "sh", "cwd": "."}}})

    assert await brain.answer("setup_save", **command) == saved
    assert json.loads(text_of(path))["agents"]["builder"]["name"] == "Grace"
    refusal = await brain.refusal("setup_save", config=a_draft(), clientCommandId="1")
    assert refusal["code"] == "CLIENT_COMMAND_CONFLICT"


async def test_of_two_saves_at_once_with_one_id_one_is_written(brain, path):
    drafts = [a_draft(an_agent_draft(name=name)) for name in ("Ada", "Grace")]
    async with tools_for(brain.server, HANDLE) as one, tools_for(brain.server, HANDLE) as other:
        results = await asyncio.gather(
            *(
                client.call_tool("setup_save", {"config": draft, "clientCommandId": "1"})
                for client, draft in zip((one, other), drafts, strict=True)
            )
        )
    assert sorted(result.is_error for result in results) == [False, True]
    [written] = [draft for draft, result in zip(drafts, results, strict=True) if not result.is_error]
    assert json.loads(text_of(path))["agents"]["builder"]["name"] == written["agents"][0]["name"]


@pytest.mark.parametrize(
    ("draft", "code", "path_told"),
    [
        (a_draft(an_agent_draft(cwd="nowhere")), "INVALID_ENVELOPE", "config.agents.0.cwd"),
        (a_draft(an_agent_draft(), an_agent_draft()), "INVALID_ENVELOPE", "config.agents.1.id"),
        (a_draft(an_agent_draft(id="assistant")), "INVALID_ENVELOPE", "config.agents.0.id"),
        (a_draft(transport="direct"), "INVALID_ENVELOPE", "config.transport"),
        (a_draft(an_agent_draft(model="x")), "INVALID_ENVELOPE", "config.agents.0.model"),
        ("all of it", "INVALID_ENVELOPE", "config"),
        (a_draft(an_agent_draft(provenance={})), "SENDER_FIELD_FORBIDDEN", "config.agents.0.provenance"),
    ],
)
async def test_a_draft_that_does_not_fit_is_refused_with_its_field_and_the_file_stays(
    brain, path, draft, code, path_told
):
    before = text_of(path)
    refusal = await brain.refusal("setup_save", config=draft, clientCommandId="1")
    assert (refusal["code"], refusal["details"]["issues"][0]["path"]) == (code, path_told)
    assert text_of(path) == before
    assert await brain.answer("setup_save", config=a_draft(), clientCommandId="1"), "a refusal uses no id up"


async def test_a_file_that_is_no_configuration_is_told_and_not_written_over(brain, path):
    write(path.parent, "{ half")
    told = await brain.answer("setup_read")
    assert str(path) in told["problem"] and [agent["id"] for agent in told["config"]["agents"]] == ["builder"]
    assert (await brain.refusal("setup_save", config=a_draft(), clientCommandId="1"))["code"] == "FILE_REFUSED"
    assert text_of(path) == "{ half"

"""A draft and the file it becomes: what it shows is taken over, what it does not show stays. Our contract."""

import json

import pytest
from pydantic import TypeAdapter

from groupx.kernel.config_file import parse_config
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.run_config import allowed_drivers
from groupx.setup.answers import DraftTold
from groupx.setup.draft import SetupCommand, SetupDraft, draft_of, merged, read_draft
from tests.setup.desks import AGENT, a_draft, an_agent_draft

FILE = {
    "transport": "structured",
    "timeZone": "Asia/Shanghai",
    "server": {"host": "localhost", "port": 4311},
    "storage": {"path": "room.db"},
    "bus": {"home": "bus"},
    "agents": {
        "builder": {**AGENT, "identity": "You build.", "spendLimit": {"costPerDay": 5}},
        "mine": {"driver": "acp", "command": {"executable": "node", "prefixArgs": ["a.mjs"]}, "args": ["--acp"],
                 "mode": "auto", "cwd": "work", "enabled": False},
    },
    "assistant": {"enabled": True, "name": "Ada", "brain": {"driver": "kimi", "command": "kimi", "cwd": "."},
                  "extraInstructions": "Be brief."},
    "limits": {"queuePerAgent": 77},
    "timeouts": {"askMs": 1000},
}  # fmt: skip
HIDDEN = ("transport", "timeZone", "bus", "limits", "timeouts")


def read(draft: dict) -> SetupDraft:
    return read_draft(SetupCommand, {"config": draft}).config


def refused(draft: dict) -> dict[str, str]:
    with pytest.raises(GroupXError) as caught:
        read(draft)
    assert caught.value.code is ErrorCode.INVALID_ENVELOPE
    return {issue["path"]: issue["message"] for issue in caught.value.details["issues"]}


def test_the_draft_shows_what_can_be_edited_and_nothing_else():
    draft = draft_of(FILE)

    TypeAdapter(DraftTold).validate_python(draft)
    assert set(draft) == {"serverPort", "storagePath", "agents", "assistant"}
    assert draft["agents"][0] == {
        "id": "builder", "driver": "kimi", "name": "Builder", "identity": "You build.", "command": "sh", "cwd": ".",
        "enabled": True,
    }  # fmt: skip
    assert (draft["agents"][1]["args"], draft["agents"][1]["mode"]) == (["--acp"], "auto")


def test_a_draft_that_comes_back_unchanged_changes_nothing():
    assert merged(FILE, read(draft_of(FILE))) == {
        **FILE, "agents": {**FILE["agents"], "builder": {**FILE["agents"]["builder"], "enabled": True}}
    }  # fmt: skip


def test_what_the_draft_does_not_show_stays():
    changed = merged(FILE, read(a_draft(an_agent_draft(name="Other"), serverPort=5000)))

    assert {key: changed[key] for key in HIDDEN} == {key: FILE[key] for key in HIDDEN}
    assert changed["server"] == {"host": "localhost", "port": 5000}
    assert changed["agents"]["builder"]["spendLimit"] == {"costPerDay": 5}
    assert changed["assistant"] == FILE["assistant"], "left out of the draft"


def test_an_agent_that_the_draft_leaves_out_is_taken_out_and_a_new_id_is_a_new_agent():
    changed = merged(FILE, read(a_draft(an_agent_draft(id="second"), an_agent_draft(id="builder"))))

    assert list(changed["agents"]) == ["second", "builder"]
    assert "spendLimit" not in changed["agents"]["second"]


def test_an_emptied_field_leaves_the_file():
    changed = merged(FILE, read(a_draft(an_agent_draft(name="  ", identity=""))))

    assert not {"name", "identity"} & set(changed["agents"]["builder"])


def test_arguments_do_not_outlive_the_driver_that_takes_them():
    changed = merged(FILE, read(a_draft(an_agent_draft(id="mine"))))

    assert not {"args", "mode"} & set(changed["agents"]["mine"])


def test_a_first_file_is_one_that_loads(tmp_path):
    first = merged(None, read(a_draft(assistant={**FILE["assistant"]})))

    run = parse_config(json.loads(json.dumps(first)), tmp_path / "groupx.json", allowed_drivers())
    assert first["transport"] == "structured"
    assert (run.config.agents["builder"].name, run.config.assistant.name) == ("Builder", "Ada")


@pytest.mark.parametrize(
    ("draft", "path"),
    [
        ({}, "config.agents"),
        (a_draft(agents=[]), "config.agents"),
        (a_draft(transport="structured"), "config.transport"),
        (a_draft(serverPort=0), "config.serverPort"),
        (a_draft(serverPort=70_000), "config.serverPort"),
        (a_draft(serverPort="4310"), "config.serverPort"),
        (a_draft(serverPort=True), "config.serverPort"),
        (a_draft(storagePath="  "), "config.storagePath"),
        (a_draft(an_agent_draft(id="assistant")), "config.agents.0.id"),
        (a_draft(an_agent_draft(id="__assistant__")), "config.agents.0.id"),
        (a_draft(an_agent_draft(id="my agent")), "config.agents.0.id"),
        (a_draft(an_agent_draft(id="a" * 65)), "config.agents.0.id"),
        (a_draft(an_agent_draft(id="agent.")), "config.agents.0.id"),
        (a_draft(an_agent_draft(name="n" * 65)), "config.agents.0.name"),
        (a_draft(an_agent_draft(cwd=...)), "config.agents.0.cwd"),
        (a_draft(an_agent_draft(model="gpt")), "config.agents.0.model"),
        (a_draft(an_agent_draft(access="unrestricted")), "config.agents.0.access"),
        (a_draft(an_agent_draft(spendLimit={"costPerDay": 5})), "config.agents.0.spendLimit"),
        (a_draft(an_agent_draft(command="")), "config.agents.0.command"),
        (a_draft(an_agent_draft(command=5)), "config.agents.0.command"),
        (
            a_draft(an_agent_draft(command={"executable": "node", "prefixArgs": ["a", "b"]})),
            "config.agents.0.command.prefixArgs",
        ),
        (a_draft(an_agent_draft(command={"executable": "node", "shell": True})), "config.agents.0.command.shell"),
        (a_draft(assistant={"enabled": True}), "config.assistant.brain"),
    ],
)  # fmt: skip
def test_what_no_draft_may_hold_is_refused_by_its_path(draft, path):
    assert set(refused(draft)) == {path}

"""groupx.json (docs/configuration.md): what loads, and how a mistake is named. Our contract."""

import json
from pathlib import Path

import pytest

from groupx.kernel.config import read_run_config
from groupx.kernel.config_file import load_config, parse_config
from groupx.kernel.errors import ErrorCode, GroupXError

DRIVERS = frozenset({"kimi", "grok", "opencode", "acp"})
AGENT = {"driver": "kimi", "command": "kimi", "cwd": "."}


def write(folder: Path, raw: object) -> Path:
    path = folder / "groupx.json"
    path.write_text(raw if isinstance(raw, str) else json.dumps(raw))
    return path


def test_defaults_fill_what_is_left_out(tmp_path):
    config = load_config(write(tmp_path, {"agents": {"a": AGENT}}), DRIVERS).config

    assert (config.server.host, config.server.port) == ("127.0.0.1", 4310)
    assert (config.limits.message_characters, config.limits.queue_per_agent) == (131_072, 64)
    assert config.timeouts.first_event_ms == 180_000


def test_the_assistants_brain_works_in_a_folder_beside_the_file_and_with_a_driver_that_is_known(tmp_path):
    brain = {"driver": "kimi", "command": {"executable": "node", "prefixArgs": ["kimi.mjs"]}, "cwd": "work"}
    raw = {"agents": {"a": AGENT}, "assistant": {"enabled": True, "brain": brain}}
    config = load_config(write(tmp_path, raw), DRIVERS).config
    assert config.has_assistant and config.assistant.brain.cwd == str(tmp_path / "work")
    assert config.assistant.brain.argv == ("node", "kimi.mjs")

    brain["driver"] = "eliza"
    with pytest.raises(GroupXError, match=r"assistant\.brain\.driver"):
        load_config(write(tmp_path, raw), DRIVERS)


def test_a_spend_limit_and_a_time_zone_are_off_by_default_and_survive_the_snapshot_of_a_run(tmp_path):
    plain = load_config(write(tmp_path, {"agents": {"a": AGENT}}), DRIVERS).config
    assert (plain.time_zone, plain.agents["a"].spend_limit) == (None, None)

    limited = {"timeZone": "Asia/Shanghai", "agents": {"a": {**AGENT, "spendLimit": {"costPerDay": 5}}}}
    run = load_config(write(tmp_path, limited), DRIVERS)
    snapshot = tmp_path / "snapshot.json"
    snapshot.write_text(run.model_dump_json(by_alias=True))
    config = read_run_config(snapshot).config
    assert config.agents["a"].spend_limit.cost_per_day == 5.0
    assert config.days.zone.key == "Asia/Shanghai"


def test_relative_paths_are_relative_to_the_file(tmp_path):
    run = load_config(write(tmp_path, {"agents": {"a": {**AGENT, "cwd": "work"}}}), DRIVERS)

    assert run.config.agents["a"].cwd == str(tmp_path / "work")
    assert run.database_path == tmp_path / ".groupx" / "groupx.db"


def test_a_command_may_be_a_program_with_one_script(tmp_path):
    command = {"executable": "node", "prefixArgs": ["agent.mjs"]}
    run = load_config(write(tmp_path, {"agents": {"a": {**AGENT, "command": command}}}), DRIVERS)

    assert run.config.agents["a"].argv == ("node", "agent.mjs")


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        ("{ not json", "groupx.json"),
        ({"agents": {"a": AGENT}, "serverr": {}}, "serverr"),
        ({"agents": {"a": {**AGENT, "modell": "x"}}}, "agents.a.modell"),
        ({"agents": {"a": AGENT}, "transport": "direct"}, "transport"),
        ({"agents": {"a": AGENT}, "server": {"host": "0.0.0.0"}}, "server.host"),
        ({"agents": {"assistant": AGENT}}, "assistant"),
        ({"agents": {"my agent": AGENT}}, "my agent"),
        ({"agents": {"a": {**AGENT, "driver": "telepathy"}}}, "agents.a.driver"),
        ({"agents": {"a": AGENT}, "limits": {"queuePerAgent": 0}}, "limits.queuePerAgent"),
        ({"agents": {"a": AGENT}, "timeouts": {"cancelMs": "soon"}}, "timeouts.cancelMs"),
        ({"agents": {"a": AGENT}, "timeZone": "Berlin"}, "timeZone"),
        ({"agents": {"a": AGENT}, "timeZone": "../etc/passwd"}, "timeZone"),
        ({"agents": {"a": {**AGENT, "spendLimit": {}}}}, "agents.a.spendLimit"),
        ({"agents": {"a": {**AGENT, "spendLimit": {"tokensPerDay": 0}}}}, "agents.a.spendLimit.tokensPerDay"),
        ({"agents": {"a": {**AGENT, "spendLimit": {"tokensPerDay": 1.5}}}}, "agents.a.spendLimit.tokensPerDay"),
        ({"agents": {"a": {**AGENT, "spendLimit": {"costPerDay": "5 $"}}}}, "agents.a.spendLimit.costPerDay"),
        ({"agents": {"a": {**AGENT, "spendLimit": {"costPerDay": float("nan")}}}}, "agents.a.spendLimit.costPerDay"),
        ({"agents": {"a": {**AGENT, "spendLimit": {"costPerDay": 1e-12}}}}, "agents.a.spendLimit.costPerDay"),
        ({"agents": {"a": {**AGENT, "spendLimit": {"tokensPerHour": 5}}}}, "agents.a.spendLimit.tokensPerHour"),
        ({"agents": {"a": {**AGENT, "args": ["--model", "x"]}}}, "agents.a"),
        ({"agents": {"a": {**AGENT, "command": {"executable": "x", "prefixArgs": ["a", "b"]}}}}, "prefixArgs"),
    ],
)
def test_a_mistake_is_refused_by_name(tmp_path, raw, named):
    with pytest.raises(GroupXError) as refused:
        load_config(write(tmp_path, raw), DRIVERS)

    assert refused.value.code is ErrorCode.CONFIG_INVALID
    assert named in refused.value.message
    assert "groupx.json" in refused.value.message


def test_the_keys_tell_the_same_file_with_other_content_from_another_file(tmp_path):
    path = tmp_path / "groupx.json"
    first = parse_config({"agents": {"a": AGENT}}, path, DRIVERS)
    changed = parse_config({"agents": {"a": {**AGENT, "name": "Renamed"}}}, path, DRIVERS)
    elsewhere = parse_config({"agents": {"a": AGENT}}, tmp_path / "other.json", DRIVERS)

    assert first.runtime_key != changed.runtime_key
    assert first.runtime_scope_key == changed.runtime_scope_key != elsewhere.runtime_scope_key


def test_a_port_given_by_hand_wins_over_the_file(tmp_path):
    run = load_config(write(tmp_path, {"agents": {"a": AGENT}}), DRIVERS, port=5000)

    assert run.origin == "http://127.0.0.1:5000"


REFERENCE = {
    "transport": "structured",
    "server": {"host": "127.0.0.1", "port": 44310},
    "storage": {"path": ".groupx/groupx.db"},
    "agents": {
        "grok": {"command": "grok", "cwd": ".", "enabled": True},
        "kimi": {"command": {"executable": "node", "prefixArgs": ["kimi.mjs"]}, "cwd": ".", "enabled": False},
        "second-kimi": {"driver": "kimi", "name": "Second", "identity": "You review.", "command": "kimi", "cwd": "."},
    },
    "assistant": {
        "enabled": True,
        "name": "房间助理",
        "brain": {"driver": "kimi", "command": {"executable": "kimi", "prefixArgs": []}, "cwd": "."},
        "extraInstructions": "Be brief.",
    },
    "limits": {
        "messageCharacters": 131_072, "queuePerAgent": 64, "rootTurns": 24, "hopCount": 12, "actorCallsPerRoot": 8,
        "steersPerSubjectTurn": 3, "contextCharacters": 48_000, "sseEvents": 512, "sseBytes": 524_288,
    },
    "timeouts": {
        "handshakeMs": 15_000, "requestMs": 10_000, "firstEventMs": 90_000, "idleMs": 120_000, "cancelMs": 10_000,
        "closeMs": 5_000, "askMs": 120_000, "watchMs": 120_000,
    },
}  # fmt: skip


def test_a_file_of_the_implementation_before_this_one_loads_unchanged(tmp_path):
    """Its agents that are called like a driver name none."""
    config = load_config(write(tmp_path, REFERENCE), DRIVERS).config

    assert {agent_id: agent.driver for agent_id, agent in config.agents.items()} == {
        "grok": "grok", "kimi": "kimi", "second-kimi": "kimi"
    }  # fmt: skip
    assert (config.assistant.brain.driver, config.assistant.brain.cwd) == ("kimi", str(tmp_path))
    assert (config.limits.root_turns, config.timeouts.idle_ms) == (24, 120_000)

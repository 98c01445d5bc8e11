"""A mistake in groupx.json is named: file, line, key, value, and what is allowed; never what could be a secret."""

import json
from pathlib import Path

import pytest

from groupx.kernel.config_file import load_config, parse_config
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.sentences import sentences

DRIVERS = frozenset({"kimi", "acp"})
AGENT = '{"driver": "kimi", "command": "kimi"}'
AGENT_KEYS = "args, command, cwd, driver, enabled, identity, mode, name, spendLimit"


def refused(folder: Path, text: str) -> GroupXError:
    path = folder / "groupx.json"
    path.write_text(text)
    with pytest.raises(GroupXError) as caught:
        load_config(path, DRIVERS)
    assert caught.value.code is ErrorCode.CONFIG_INVALID and caught.value.details["file"] == str(path)
    return caught.value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n "agents": {},\n "limits": {"queuePerAgent": 0}\n}',
         "line 3: limits.queuePerAgent: must be a whole number from 1 to 10000 (it is 0)"),
        ('{"agents": {},\n "server": {"port": "4310"}}',
         'line 2: server.port: must be a whole number from 1 to 65535 (it is "4310")'),
        ('{"agents": {}, "timeouts": {\n\n "askMs": 1.5}}',
         "line 3: timeouts.askMs: must be a whole number from 100 to 3600000 (it is 1.5)"),
        ('{"agents": {}, "transport": "direct"}', 'line 1: transport: must be "structured" (it is "direct")'),
        ('{"agents": {}, "server": {"host": "0.0.0.0"}}',
         'line 1: server.host: cannot be "0.0.0.0": it must be one of 127.0.0.1, localhost, ::1, '
         "GroupX listens on this machine only"),
        ('{"agents": {}, "timeZone": "Berlin"}',
         'line 1: timeZone: cannot be "Berlin": it must be the name of a time zone, as in “Europe/Berlin”'),
        (f'{{"agents": {{\n "a": {AGENT}\n }},\n "serverr": {{}}\n}}',
         "line 4: serverr: is not known, perhaps server is meant (known here: agents, assistant, bus, limits, server, "
         "storage, timeZone, timeouts, transport)"),
        ('{"agents": {"a": {"driver": "kimi", "command": "kimi",\n  "apiKey": "sk-123"}}}',
         f"line 2: agents.a.apiKey: is not known (known here: {AGENT_KEYS})"),
        ('{"agents": {\n "a": {"driver": "telepathy", "command": "x"}}}',
         'line 2: agents.a.driver: must be one of acp, kimi (it is "telepathy")'),
        ('{"agents": {\n "mine": {"command": "x"}}}',
         "line 2: agents.mine.driver: is missing, it must be one of acp, kimi"),
        ('{"agents": {}, "assistant": {"brain": {"driver": "kimi",\n "command": ""}}}',
         "line 2: assistant.brain.command: must be a name or path of a program, or an object with executable and "
         "prefixArgs"),
        ('{"agents": {"kimi": {"command": {"executable": "node",\n "prefixArgs": ["a", "b"]}}}}',
         "line 2: agents.kimi.command.prefixArgs: must be a list of at most 1"),
        ('{"agents": {"kimi": {"command": "kimi",\n "name": "%s"}}}' % ("n" * 65),
         "line 2: agents.kimi.name: must be a text of 1 to 64 characters"),
        ('{"agents": {"kimi": {"command": "kimi", "enabled": "yes"}}}',
         'line 1: agents.kimi.enabled: must be true or false (it is "yes")'),
        ('{"agents": {\n "my agent": ' + AGENT + "}}",
         "line 2: agents.my agent: is refused: an id has letters and digits, with . _ - inside, at most 64"),
        ('{"agents": {"assistant": ' + AGENT + "}}", "line 1: agents.assistant: is refused: this id is reserved"),
        ('{"agents": {"kimi": {"command": "kimi", "spendLimit": {"costPerDay": NaN}}}}',
         "line 1: agents.kimi.spendLimit.costPerDay: must be a number from 0.0001 to 1000000 (it is NaN)"),
        ("[]", "line 1: the file: must be an object"),
        ("{}", "line 1: agents: is missing, it must be an object"),
    ],
)  # fmt: skip
def test_each_mistake_has_its_line_key_value_and_what_is_allowed(tmp_path: Path, text: str, said: str):
    assert refused(tmp_path, text).message == f"{tmp_path / 'groupx.json'}: {said}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{ not json", "line 1, is not valid JSON: Expecting property name enclosed in double quotes (column 3)."),
        ('{\n // the roster\n "agents": {}\n}', "line 2, is not valid JSON: JSON has no comments."),
        ('{"agents": {}} # done', "line 1, is not valid JSON: JSON has no comments."),
        ('{"agents": {\n  "a": {},\n}}', "line 2, is not valid JSON: After the last entry there is no comma."),
        ("{'agents': {}}", "line 1, is not valid JSON: JSON has double quotes only."),
        ('\ufeff{"agents": {}}',
         "line 1, is not valid JSON: It begins with a byte order mark. Save it as UTF-8 without one."),
        ('{"agents": {\n"a": 1,\n\n"a": 2}}', "line 4, is not valid JSON: The key “a” stands twice, first in line 2."),
        ('{"server": {"port": ' + "9" * 5_000 + "}}", "line 1, is not valid JSON: It has a number that is too long."),
        ("[" * 100_000, "line 1, is not valid JSON: It is nested too deeply."),
    ],
)  # fmt: skip
def test_what_is_no_json_has_the_line_and_a_plain_reason(tmp_path: Path, text: str, said: str):
    assert refused(tmp_path, text).message == f"{tmp_path / 'groupx.json'}, {said}"


@pytest.mark.parametrize("raw", [b'{"agents": "\xff"}', b"\xfe\xff\x00{"])
def test_what_is_no_utf_8_is_said_so(tmp_path: Path, raw: bytes):
    (tmp_path / "groupx.json").write_bytes(raw)
    with pytest.raises(GroupXError) as caught:
        load_config(tmp_path / "groupx.json", DRIVERS)
    assert caught.value.message == f"{tmp_path / 'groupx.json'} is not valid UTF-8."


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("env", {"TOKEN": "sk-secret"}),
        ("token", "sk-secret"),
        ("args", "sk-secret"),
        ("args", ["sk-secret", 5]),
        ("identity", "sk-secret" * 8_000),
        ("name", "sk-secret" * 80),
        ("command", ["sk-secret"]),
        ("command", {"executable": "node", "prefixArgs": ["--token", "sk-secret"]}),
        ("spendLimit", ["sk-secret"]),
    ],
)
def test_what_could_be_a_secret_is_not_repeated(tmp_path: Path, key: str, value: object):
    error = refused(tmp_path, json.dumps({"agents": {"a": {"driver": "kimi", "command": "kimi", key: value}}}))
    assert f"agents.a.{key}" in error.message and "sk-secret" not in f"{error.message} {error.details}"


@pytest.mark.parametrize("text", [r"a\u0000b", r"\ud800"])
@pytest.mark.parametrize("key", ["name", "identity", "command", "cwd"])
def test_a_text_that_no_path_process_or_database_takes_is_refused(tmp_path: Path, key: str, text: str):
    keys = {"driver": "kimi", "command": "kimi"} | {key: "HERE"}
    error = refused(tmp_path, json.dumps({"agents": {"a": keys}}).replace("HERE", text))
    assert error.message.endswith(f"line 1: agents.a.{key}: has NUL or half of a surrogate pair in it")


def test_such_a_key_is_told_by_where_it_stands(tmp_path: Path):
    assert refused(tmp_path, r'{"agents": {}, "limits": {"\ud800": 1}}').message.endswith(
        "line 1: limits: has NUL or half of a surrogate pair in it"
    )


def test_the_home_of_nobody_is_a_folder_that_is_not_there(tmp_path: Path):
    (tmp_path / "groupx.json").write_text('{"agents": {"a": {"driver": "kimi", "command": "k", "cwd": "~nobody-x/y"}}}')
    run = load_config(tmp_path / "groupx.json", DRIVERS)
    assert run.config.agents["a"].cwd == str(tmp_path / "~nobody-x" / "y")


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file(tmp_path: Path):
    error = refused(
        tmp_path, '{"limits": {"hopCount": 0},\n "agents": {"kimi": {"cmd": "kimi"}},\n "server": {"port": 0}}'
    )

    assert [(issue["line"], issue["path"]) for issue in error.details["issues"]] == [
        (1, "limits.hopCount"), (2, "agents.kimi.command"), (2, "agents.kimi.cmd"), (3, "server.port"),
    ]  # fmt: skip
    assert error.message.count("; line ") == 3


def test_a_configuration_that_is_in_no_file_yet_has_no_lines(tmp_path: Path):
    with pytest.raises(GroupXError) as caught:
        parse_config({"agents": {}, "limits": {"hopCount": 0}}, tmp_path / "groupx.json", DRIVERS)
    assert caught.value.details["issues"] == [
        {"path": "limits.hopCount", "message": "must be a whole number from 1 to 1000 (it is 0)"}
    ]


def test_the_sentences_are_translated_mistake_by_mistake():
    said = "/x/groupx.json: line 2: a.b: must be true or false (it is 5); line 3: c: is missing, it must be a list"
    assert sentences("zh-hans")(said) == (
        "/x/groupx.json: 行 2: a.b: 必须是true 或 false（现在是 5）; 行 3: c: 缺失，必须是列表"
    )

"""Which configuration a command runs with, settled before Django (docs/configuration.md). Our contract."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from groupx import cli, run_config
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.run_config import CONFIG_VARIABLE, PORT_VARIABLE, RUN_CONFIG_VARIABLE, SETUP_VARIABLE, current_run
from groupx.run_files import RunLock

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def fresh_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    for name in (RUN_CONFIG_VARIABLE, CONFIG_VARIABLE, PORT_VARIABLE, SETUP_VARIABLE):
        monkeypatch.setenv(name, "")  # so that what is set meanwhile is taken back
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    current_run.cache_clear()
    yield
    current_run.cache_clear()


def write_config(path: Path, **changed: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"agents": {}, **changed}))
    return path


def test_the_file_in_the_current_folder_is_the_default(tmp_path: Path):
    write_config(tmp_path / "groupx.json")
    cli.settle_configuration("groupx_export", [])
    assert current_run().config_path == tmp_path / "groupx.json"


@pytest.mark.parametrize("given", [["--config", "other/room.json"], ["--config=other/room.json"]])
def test_relative_paths_belong_to_the_configuration_file(tmp_path: Path, given: list[str]):
    write_config(tmp_path / "other" / "room.json")
    cli.settle_configuration("groupx_start", ["--no-open", *given])
    assert current_run().database_path == tmp_path / "other" / ".groupx" / "groupx.db"


def test_the_port_option_wins_over_the_file(tmp_path: Path):
    write_config(tmp_path / "groupx.json", server={"port": 4400})
    cli.settle_configuration("groupx_start", ["--port", "4500"])
    assert current_run().config.server.port == 4500


@pytest.mark.parametrize("port", ["0", "65536", "-1", "x", "4310.5", ""])
def test_a_port_that_is_none_is_named(tmp_path: Path, port: str):
    write_config(tmp_path / "groupx.json")
    with pytest.raises(GroupXError, match="--port") as refused:
        cli.settle_configuration("groupx_start", [f"--port={port}"])
    assert refused.value.code is ErrorCode.CONFIG_INVALID


def test_a_process_of_a_run_takes_the_runs_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_config(tmp_path / "groupx.json", server={"port": 4400})
    cli.settle_configuration("groupx_export", [])
    snapshot = tmp_path / "config.json"
    snapshot.write_text(current_run().model_dump_json(by_alias=True))
    write_config(tmp_path / "groupx.json", server={"port": 4401})
    monkeypatch.setenv(RUN_CONFIG_VARIABLE, str(snapshot))
    current_run.cache_clear()

    cli.settle_configuration("groupx_lane", ["codex", "--control-fd", "5"])

    assert current_run().config.server.port == 4400


def test_a_start_from_inside_a_run_has_its_own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_config(tmp_path / "groupx.json")
    monkeypatch.setenv(RUN_CONFIG_VARIABLE, "/nowhere/config.json")
    cli.settle_configuration("groupx_stop", [])
    assert current_run().config_path == tmp_path / "groupx.json"


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("test", []),
        ("makemigrations", ["--check"]),
        ("shell", []),
        ("", []),
        ("groupx_start", ["--help"]),
        ("groupx_stat", []),
    ],
)
def test_commands_that_need_no_room_need_no_configuration(verb: str, arguments: list[str]):
    cli.settle_configuration(verb, arguments)
    assert not run_config.is_configured()


@pytest.mark.parametrize("verb", ["groupx_stop", "groupx_export"])
def test_only_a_start_does_without_a_configuration(tmp_path: Path, verb: str):
    with pytest.raises(GroupXError, match=r"groupx\.json\. “groupx start” writes one") as refused:
        cli.settle_configuration(verb, [])
    assert refused.value.code is ErrorCode.CONFIG_INVALID
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("verb", ["groupx_start", "groupx_restart"])
def test_a_start_without_a_file_begins_with_the_setup_and_writes_nothing(tmp_path: Path, verb: str):
    cli.settle_configuration(verb, ["--port", "4501"])
    run = current_run()
    assert run.is_setup and run.config_path == tmp_path / "groupx.json" and run.config.server.port == 4501
    assert not list(tmp_path.iterdir())


def test_a_stop_without_a_file_ends_a_setup_that_runs(tmp_path: Path):
    run_dir = tmp_path / ".groupx" / "run"
    run_dir.mkdir(parents=True)
    lock = RunLock(run_dir)
    assert lock.acquire()
    try:
        cli.settle_configuration("groupx_stop", [])
        assert current_run().is_setup
    finally:
        lock.release()


def test_the_room_of_a_setup_is_known_by_the_same_key(tmp_path: Path):
    cli.settle_configuration("groupx_start", [])
    setup = current_run()
    current_run.cache_clear()
    write_config(tmp_path / "groupx.json")
    cli.settle_configuration("groupx_start", [])
    assert not current_run().is_setup and current_run().runtime_scope_key == setup.runtime_scope_key


def manage(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GROUPX_", "DJANGO_"))}
    return subprocess.run(
        [sys.executable, str(CHECKOUT / "manage.py"), *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@pytest.mark.parametrize("verb", ["groupx_start", "groupx_stop", "groupx_serve"])
def test_a_bad_configuration_is_one_sentence_that_names_the_key(tmp_path: Path, verb: str):
    write_config(tmp_path / "groupx.json", serverr={})
    result = manage(verb, folder=tmp_path)
    assert result.returncode == 2 and result.stdout == ""
    assert "serverr" in result.stderr and len(result.stderr.splitlines()) == 1


def test_a_failure_inside_django_is_one_sentence_too(tmp_path: Path):
    write_config(tmp_path / "groupx.json")
    result = manage("groupx_lane", "nobody", folder=tmp_path)
    assert (result.returncode, result.stderr) == (1, "The configuration has no enabled agent “nobody”.\n")


def test_stop_where_nothing_runs_says_so(tmp_path: Path):
    write_config(tmp_path / "groupx.json", server={"port": 1})
    result = manage("groupx_stop", folder=tmp_path)
    assert (result.returncode, result.stdout) == (0, "No GroupX runs on port 1.\n")


def test_djangos_own_options_still_work(tmp_path: Path):
    write_config(tmp_path / "groupx.json", server={"port": 1})
    result = manage("groupx_stop", "--verbosity", "0", folder=tmp_path)
    assert (result.returncode, result.stdout) == (0, "No GroupX runs on port 1.\n")


def test_the_parent_is_made_without_django_and_without_a_server():
    code = "import sys, groupx.cli; print({'django', 'daphne', 'mcp', 'channels'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert result.stdout == "set()\n"


def test_the_console_script_knows_the_same_verbs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "argv", ["groupx"])
    cli.main()
    said = capsys.readouterr().out
    for verb in ("start", "stop", "restart", "demo"):
        assert verb in said

    monkeypatch.setattr(sys, "argv", ["groupx", "strat"])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2 and "strat" in capsys.readouterr().err


# ---------------------------------------------------------------- the language of the terminal
@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "没有配置文件"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_TW.UTF-8"}, "没有配置文件"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "There is no configuration file"),
        ({"LANG": "de_DE.UTF-8"}, "There is no configuration file"),
        ({"LANG": "C"}, "There is no configuration file"),
        ({}, "There is no configuration file"),
    ],
)
def test_a_command_speaks_the_language_of_its_terminal(tmp_path: Path, variables: dict[str, str], says: str):
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "GROUPX_"))}
    for command in ("groupx_stop", "groupx_export"):  # without Django, and with it
        done = subprocess.run(
            [sys.executable, "-m", "groupx", command],
            cwd=tmp_path,
            env={**outside, **variables, "PYTHONPATH": str(CHECKOUT), "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
        )
        assert done.returncode == 2 and done.stderr.startswith(says), done.stderr

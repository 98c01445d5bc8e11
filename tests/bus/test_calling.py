"""How `aig` is called: global options anywhere, who and where, names, help, exit codes, one-line errors."""

import subprocess
import sys
from pathlib import Path

import pytest

from rooms.bus.cli import COMMANDS
from tests.bus.aig import Aig, tree

BAD_NAMES = ["", ".", "..", "a/b", "a\\b", "a b", "a\nb", "x" * 65, "né!", "a:b", "emoji🎉", "\u202eevil", "𠀀" * 64]


@pytest.mark.parametrize("before", [True, False])
def test_global_options_stand_before_or_after_the_command(aig, tmp_path, before):
    given = ["--room", "dev", "--as", "codex", "--json", "--home", str(tmp_path / "other")]
    command = ["send", "hello"]
    aig.ok(*(given + command if before else command + given))
    (sent,) = Aig(tmp_path / "other").log("dev")
    assert (sent["room"], sent["from"]) == ("dev", "codex")
    assert not aig.home.exists()


def test_from_is_another_word_for_as(aig):
    aig.ok("send", "hello", "--from", "eva")
    aig.ok("--from=eva", "send", "hello")
    assert [message["from"] for message in aig.log()] == ["eva", "eva"]


def test_the_option_comes_before_the_environment_and_that_before_the_current_room(aig):
    aig.ok("use", "current")
    aig.ok("send", "1")
    aig.ok("send", "2", AIGROUP_ROOM="environment", AIGROUP_MEMBER="codex")
    aig.ok("send", "3", "--room", "option", "--as", "eva", AIGROUP_ROOM="environment", AIGROUP_MEMBER="codex")
    assert [aig.log(room)[0]["from"] for room in ("current", "environment", "option")] == ["human", "codex", "eva"]


def test_without_anything_it_is_human_in_main(aig):
    aig.ok("send", "hello")
    (sent,) = aig.log("main")
    assert (sent["room"], sent["from"]) == ("main", "human")


def test_the_home_is_a_folder_of_the_user_and_private(tmp_path):
    aig = Aig(tmp_path / ".ai-groups", HOME=str(tmp_path), AIGROUP_HOME="")
    aig.ok("send", "hello")
    assert len(aig.log()) == 1 and aig.home.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", BAD_NAMES)
def test_what_is_no_name_is_refused_and_touches_nothing(aig, name):
    aig.refused("use", name)
    aig.refused("--as", name, "send", "x")
    assert not aig.home.exists()


def test_it_is_refused_wherever_a_name_is_given(aig):
    for arguments in (
        ["--room", "a/b", "send", "x"],
        ["send", "x", "--to", "bob,a/b"],
        ["member", "a/b", "--note", "x"],
        ["wake", "a/b"],
        ["ask", "a/b", "x"],
    ):
        aig.refused(*arguments)
    aig.refused("send", "x", AIGROUP_ROOM="a/b")
    aig.refused("send", "x", AIGROUP_MEMBER="a/b")
    assert not aig.home.exists()


def test_nobody_is_called_all(aig):
    aig.refused("send", "x", "--as", "all")
    aig.refused("member", "all", "--note", "x")
    aig.ok("use", "all")


@pytest.mark.parametrize("name", ["a", "x" * 64, "Ünïcode", "小明", "a.b_c-1", ".hidden", "-dash", "١٢"])
def test_a_name_is_letters_digits_and_three_marks(aig, name):
    aig.ok(f"--room={name}", f"--as={name}", "send", "hello", "--to=bob")
    aig.ok("read", f"--as={name}", f"--room={name}", "--all")
    assert aig.log(name)[0]["from"] == name and aig.cursor(name, name) == 1


def test_one_name_written_in_two_ways_is_one(aig):
    aig.ok("send", "hello", "--to", "Ame\u0301lie")
    assert aig.log()[0]["to"] == ["Am\u00e9lie"]
    assert len(aig.records("read", "--as", "Ame\u0301lie")) == 1
    assert tree(aig.room() / "cursors") == ["Am\u00e9lie.json"]


def test_a_current_room_that_is_none_is_refused_until_another_is_used(aig):
    aig.ok("use", "dev")
    (aig.home / "current-room").write_text("../../etc\n")
    assert "aig use" in aig.refused("send", "hello")
    assert [room["room"] for room in aig.records("rooms")] == ["dev"]
    aig.ok("use", "dev")
    aig.ok("send", "hello")


# ---------------------------------------------------------------- what is not understood
@pytest.mark.parametrize(
    "arguments", [["shout"], ["send", "x", "--loud"], ["--loud", "send", "x"], ["use"], ["search"]]
)
def test_what_is_not_understood_is_one_line_with_what_to_do(aig, arguments):
    assert "aig" in aig.refused(*arguments).removeprefix("aig: ") or arguments == ["shout"]
    assert not aig.home.exists()


def test_an_unknown_command_is_answered_with_the_known_ones(aig):
    assert all(command in aig.refused("shout") for command in COMMANDS)


def test_no_command_shows_what_there_is_and_ends_with_2(aig):
    ended = aig()
    assert ended.code == 2 and all(f"  {command} " in ended.out for command in COMMANDS)
    assert aig.ok("help") == aig.ok("--help") == ended.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_tells_about_itself(aig, command):
    told = aig.ok(command, "--help")
    assert f"Usage: aig {command} " in told and "--room" in told
    assert not aig.home.exists()


def test_the_version_is_told(aig):
    assert "GroupX" in aig.ok("--version") and aig.ok("version") == aig.ok("--version")


def test_a_folder_that_cannot_be_written_is_one_line_and_1(tmp_path):
    (tmp_path / "home").write_text("a file")
    assert "aig doctor" in Aig(tmp_path / "home").refused("send", "hello", code=1)


def test_a_reader_that_went_away_is_no_error(aig):
    aig.ok("send", "-", stdin=b"x" * 200_000)
    process = aig.start("read", "--all", "--peek")
    process.stdout.close()
    process.stdin.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141


def test_the_console_script_is_the_same_program(aig):
    script = Path(sys.executable).with_name("aig")
    said = subprocess.run([script, "rooms", "--json"], env=aig.environment, capture_output=True, check=True, timeout=60)
    assert said.stdout == b""


def test_little_is_loaded_at_the_start(aig):
    aig.ok("send", "hello")
    listing = "import sys; from rooms.bus.cli import main; main(['rooms']); sys.stderr.write(' '.join(sys.modules))"
    ended = subprocess.run(
        [sys.executable, "-c", listing], env=aig.environment, cwd=aig.home, capture_output=True, check=True, timeout=60
    )
    modules = set(ended.stderr.decode().split())
    heavy = {"argparse", "asyncio", "dataclasses", "django", "importlib.metadata", "inspect", "logging", "pydantic"}
    assert "rooms.bus.commands.rooms" in modules
    assert modules & (heavy | {"shutil", "socket", "subprocess", "tempfile", "rooms.bus.lock"}) == set()


def test_behind_two_dashes_even_help_is_a_text(aig):
    aig.ok("send", "--", "--help")
    assert [message["text"] for message in aig.log()] == ["--help"]


def test_help_with_a_command_is_the_help_of_that_command(aig):
    assert aig.ok("help", "send") == aig.ok("send", "--help")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-"])
def test_who_closes_its_streams_can_call(aig, closed):
    script = f'"$0" -m rooms.bus send hello {closed}'
    ended = subprocess.run(["/bin/sh", "-c", script, sys.executable], env=aig.environment, timeout=60, check=False)
    assert ended.returncode == 0
    assert [message["text"] for message in aig.log()] == ["hello"]


def test_the_home_of_nobody_is_no_folder(aig):
    assert "AIGROUP_HOME" in aig.refused("rooms", "--home", "~no-such-user/bus")
    assert "~no-such-user/x" in aig.refused("member", "codex", "--cwd", "~no-such-user/x")
    assert not aig.home.exists()

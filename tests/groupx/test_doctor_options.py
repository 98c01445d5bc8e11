"""Options of `groupx doctor` that mean nothing together are refused (docs/operations.md, "The doctor")."""

from pathlib import Path

import pytest

from groupx import terminal
from groupx.doctor.options import check_options
from groupx.kernel.errors import GroupXError
from groupx.kernel.problems import problem_of
from tests.groupx.kept_rooms import manage

USAGE_EXIT_CODE = 2


def check(arguments: str) -> None:
    given = terminal.parse("groupx_doctor", arguments.split(), prog="groupx doctor")
    assert given is not None
    check_options(given)


@pytest.mark.parametrize(
    "arguments",
    [
        "--live mine --all",
        "--live mine --full",
        "--live mine --repair",
        "--live mine --yes",
        "--repair --json",
        "--repair --all",
        "--yes",
    ],
)
def test_what_would_be_ignored_is_refused_by_name(arguments: str):
    with pytest.raises(GroupXError) as refused:
        check(arguments)
    assert problem_of(refused.value).exit_code == USAGE_EXIT_CODE
    assert all(option in refused.value.message for option in arguments.split()[-1:])


@pytest.mark.parametrize("arguments", ["", "--json --full --all", "--repair --yes --full", "--live mine --json"])
def test_what_goes_together_is_taken(arguments: str):
    check(arguments)


@pytest.mark.parametrize("options", [["--live", "mine", "--all"], ["--live", "", "--full"], ["--yes"]])
def test_the_command_says_so_in_one_sentence_and_does_nothing(tmp_path: Path, options: list[str]):
    (tmp_path / "groupx.json").write_text('{"agents": {}}')
    result = manage("groupx_doctor", *options, folder=tmp_path)
    assert (result.returncode, result.stdout) == (USAGE_EXIT_CODE, "") and len(result.stderr.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["groupx.json"]

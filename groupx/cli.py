"""Entry points: `manage.py <verb>` and the console script `groupx`. Settle the configuration before Django.

Django's settings are derived from the configuration, so which file counts must be known before they load:
here, from `--config` and `--port`. A file that is wrong ends the command with one sentence. Commands that
are not ours (test, makemigrations, shell) run without any configuration.
"""

import argparse
import os
import sys
from pathlib import Path

from django.core.management import execute_from_command_line

from groupx import __version__
from groupx.first_start import DEMO_FOLDER, write_demo, write_first_configuration
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.problems import problem_of
from groupx.run_config import CONFIG_VARIABLE, PORT_VARIABLE, RUN_CONFIG_VARIABLE, current_run

CONFIG_NAME = "groupx.json"
PREFIX = "groupx_"
STARTING_VERBS = frozenset({"groupx_start", "groupx_restart"})
OUTSIDE_VERBS = STARTING_VERBS | {"groupx_stop", "groupx_demo"}
"""Verbs of a person in a terminal: they never belong to the run that they may have been started from."""
WITHOUT_CONFIGURATION = frozenset({"groupx_init"})


def run_django_command(argv: list[str] | None = None) -> None:
    """`manage.py <verb> …`; ends the process with the command's exit code when that is not 0."""
    argv = list(sys.argv if argv is None else argv)
    try:
        settle_configuration(argv[1:])
    except GroupXError as error:
        print(error.message, file=sys.stderr)  # noqa: T201 - nothing of Django stands yet
        sys.exit(problem_of(error).exit_code)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "groupx.settings")
    execute_from_command_line(argv)


def main() -> None:
    """`groupx start` is `manage.py groupx_start`."""
    verb, *rest = sys.argv[1:] or ["help"]
    if verb in ("--version", "version"):
        print(f"GroupX {__version__}")  # noqa: T201
    elif verb in ("help", "--help", "-h"):
        print(help_text())  # noqa: T201
    elif f"{PREFIX}{verb}" not in our_commands():
        print(f"groupx: there is no command “{verb}”.\n\n{help_text()}", file=sys.stderr)  # noqa: T201
        sys.exit(2)
    else:
        run_django_command([sys.argv[0], f"{PREFIX}{verb}", *rest])


def our_commands() -> list[str]:
    """Names of the management commands of ours, from their files: nothing is imported."""
    folder = Path(__file__).parent / "management" / "commands"
    return sorted(path.stem for path in folder.glob(f"{PREFIX}*.py"))


def help_text() -> str:
    verbs = ", ".join(name.removeprefix(PREFIX) for name in our_commands())
    return f"Usage: groupx <command> [options]\nCommands: {verbs}.\n“groupx <command> --help” tells about one of them."


# ---------------------------------------------------------------- which configuration
def settle_configuration(arguments: list[str]) -> None:
    """Read the configuration that this command runs with and name it in the environment.

    Writes the first one (from the CLIs that are installed) for `groupx_start`, and the demo's for `groupx_demo`.

    Raises:
        GroupXError: CONFIG_INVALID, or START_FAILED when there is no file and nothing to write one from.
    """
    verb = arguments[0] if arguments else ""
    if not verb.startswith(PREFIX) or verb in WITHOUT_CONFIGURATION or {"--help", "-h"} & set(arguments):
        return
    if verb in OUTSIDE_VERBS:
        os.environ.pop(RUN_CONFIG_VARIABLE, None)
    given = _given(arguments[1:])
    if given.config is None and os.environ.get(RUN_CONFIG_VARIABLE):
        current_run()
        return
    os.environ.pop(RUN_CONFIG_VARIABLE, None)
    os.environ[CONFIG_VARIABLE] = str(_config_path(verb, given.config))
    if given.port is not None:
        os.environ[PORT_VARIABLE] = str(_port(given.port))
    current_run()


def _given(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--config")
    parser.add_argument("--port")
    try:
        return parser.parse_known_args(arguments)[0]
    except argparse.ArgumentError as error:
        raise GroupXError(ErrorCode.CONFIG_INVALID, f"{error}.") from None


def _config_path(verb: str, given: str | None) -> Path:
    if verb == "groupx_demo":
        return write_demo(Path(given).expanduser().parent if given else Path.cwd() / DEMO_FOLDER)
    path = Path(given or os.environ.get(CONFIG_VARIABLE) or CONFIG_NAME).expanduser().absolute()
    if verb in STARTING_VERBS and not path.exists():
        return write_first_configuration(path)
    return path


def _port(given: str) -> int:
    if given.isdecimal() and 1 <= int(given) <= 65_535:
        return int(given)
    raise GroupXError(ErrorCode.CONFIG_INVALID, f"--port must be a number from 1 to 65535 (it is “{given}”).")

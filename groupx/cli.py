"""Entry points: `manage.py <verb>` and the console script `groupx`. Settle the configuration before Django.

Django's settings are derived from the configuration, so which file counts must be known before they load:
here, from `--config` and `--port`. A file that is wrong ends the command with one sentence. Commands that
are not ours (test, makemigrations, shell) run without any configuration; start, stop, restart and demo run
without Django.
"""

from groupx import bytecode  # isort: skip  # noqa: F401 - keeps what is compiled from here on

import argparse
import sys
from pathlib import Path

from groupx import __version__, terminal
from groupx.kernel import environment
from groupx.kernel.as_typed import CONFIG_NAME
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.home_paths import from_home
from groupx.kernel.problems import problem_of
from groupx.run_config import CONFIG_VARIABLE, PORT_VARIABLE, RUN_CONFIG_VARIABLE, SETUP_VARIABLE, current_run
from groupx.run_files import is_locked, snapshot_path
from groupx.terminal_words import in_words

SETTINGS = {"groupx_lane": "groupx.lane_settings", "groupx_assistant": "groupx.assistant_settings"}
"""Of processes that do without the web."""
PREFIX = "groupx_"
CONSOLE_SCRIPT = "groupx"
STARTING_VERBS = frozenset({"groupx_start", "groupx_restart"})
"""They do without a configuration file: the setup writes one."""
INTERRUPTED_EXIT_CODE = 130


def run_django_command(argv: list[str] | None = None) -> None:
    """`manage.py <verb> …`; ends the process with the command's exit code when that is not 0.

    The one place where a GroupXError becomes a sentence on standard error and an exit code.
    """
    try:
        _run(list(sys.argv if argv is None else argv))
    except GroupXError as error:
        print(in_words(error.message), file=sys.stderr)  # noqa: T201 - a command's own words
        sys.exit(problem_of(error).exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED_EXIT_CODE)


def _run(argv: list[str]) -> None:
    verb, arguments = (argv[1] if len(argv) > 1 else ""), argv[2:]
    if verb in terminal.COMMANDS:
        options = terminal.parse(verb, arguments, prog=_as_given(argv[0], verb))
        command = terminal.COMMANDS[verb]
        if options is not None and not command.needs_django(options):
            if command.needs_configuration:
                settle_configuration(verb, arguments)
            sys.exit(command.run(options))
    settle_configuration(verb, arguments)
    if not environment.value_of(environment.DJANGO_SETTINGS):
        environment.put(environment.DJANGO_SETTINGS, SETTINGS.get(verb, "groupx.settings"))
    # Here and not above: the commands that end before this line must not wait for Django's import.
    from django.core.management import execute_from_command_line

    execute_from_command_line(argv)


def _as_given(program: str, verb: str) -> str:
    """How a usage names the command: the console script has its verbs without our prefix."""
    name = Path(program).name
    return f"{name} {verb.removeprefix(PREFIX) if name == CONSOLE_SCRIPT else verb}"


def main() -> None:
    """`groupx start` is `manage.py groupx_start`."""
    verb, *rest = sys.argv[1:] or ["help"]
    if verb in ("--version", "version"):
        print(f"GroupX {__version__}")  # noqa: T201
    elif verb in ("help", "--help", "-h"):
        print(in_words(help_text()))  # noqa: T201
    elif f"{PREFIX}{verb}" not in our_commands():
        print(in_words(f"groupx: there is no command “{verb}”.\n\n{help_text()}"), file=sys.stderr)  # noqa: T201
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
def settle_configuration(verb: str, arguments: list[str]) -> None:
    """Read the configuration that this command runs with and name it in the environment.

    Writes the demo's for `groupx_demo`. Without a file `groupx_start` begins with the setup, and `groupx_stop` ends it.
    A file that was broken since keeps nobody from ending what runs, which its snapshot tells.
    A process of a run takes the run's snapshot; what a person starts never belongs to the run it was started from.

    Raises:
        GroupXError: CONFIG_INVALID; START_FAILED when the demo's cannot be written.
    """
    if verb not in our_commands() or {"--help", "-h"} & set(arguments):
        return
    given = _given(arguments)
    if verb in terminal.COMMANDS or given.config is not None:
        environment.drop(RUN_CONFIG_VARIABLE)
    if not environment.value_of(RUN_CONFIG_VARIABLE):
        path = _config_path(verb, given.config)
        environment.put(CONFIG_VARIABLE, str(path))
        if verb in STARTING_VERBS or (verb == "groupx_stop" and _has_parent(path)):
            environment.put(SETUP_VARIABLE, "1")
        else:
            environment.drop(SETUP_VARIABLE)
        if given.port is not None:
            environment.put(PORT_VARIABLE, str(_port(given.port)))
        snapshot = snapshot_path(_run_dir(path))
        if verb == "groupx_stop" and _has_parent(path) and snapshot.is_file() and not _is_readable():
            environment.put(RUN_CONFIG_VARIABLE, str(snapshot))
    current_run()


def _is_readable() -> bool:
    try:
        current_run()
    except GroupXError:
        return False
    return True


def _given(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--config")
    parser.add_argument("--port")
    try:
        return parser.parse_known_args(arguments)[0]
    except argparse.ArgumentError as error:
        raise GroupXError(ErrorCode.CONFIG_INVALID, f"{error}.") from None


def _config_path(verb: str, given: str | None) -> Path:
    # Only the demo needs its agents' module.
    if verb == "groupx_demo":
        from groupx.demo_room import DEMO_FOLDER, write_demo

        return write_demo(from_home(given).absolute().parent if given else Path.cwd() / DEMO_FOLDER)
    return from_home(given or environment.value_of(CONFIG_VARIABLE) or CONFIG_NAME).absolute()


def _port(given: str) -> int:
    if given.isdecimal() and 1 <= int(given) <= 65_535:
        return int(given)
    raise GroupXError(ErrorCode.CONFIG_INVALID, f"--port must be a number from 1 to 65535 (it is “{given}”).")


def _has_parent(path: Path) -> bool:
    """Whether a room, or its setup, runs for this file."""
    return is_locked(_run_dir(path) / "lock")


def _run_dir(path: Path) -> Path:
    return path.resolve().parent / ".groupx" / "run"

"""`aig <command>`: finds the command, loads its module, runs it; what goes wrong is one line and an exit code.

A command is a module of `rooms/bus/commands` with `add_arguments(parser)` and `run(call)`, which may give an exit code.
"""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import NoReturn

from rooms.bus.arguments import Parser, add_global_arguments, split
from rooms.bus.call import Call
from rooms.bus.errors import BusError, UsageError
from rooms.bus.folder import printable
from rooms.bus.terminal import Output

COMMANDS = {
    "use": "make a room if need be, and stay in it",
    "rooms": "list the rooms",
    "send": "write a message",
    "read": "show what I have not read, and remember that I have",
    "wait": "wait until there is something unread, and show it",
    "ask": "send a question to a member, wake it, show its answer",
    "wake": "run a member's CLI once on what it has not read",
    "members": "list the members and how each is woken",
    "member": "show, change or remove one",
    "who": "show who was here, and who still is",
    "status": "show the room's health",
    "tail": "show the end of the room; -f follows it",
    "search": "find messages with all these words",
    "export": "write the whole room to standard output",
    "reset": "archive the room and start it empty",
    "doctor": "show which agents' CLIs are installed, and whether the folder can be written",
    "selfcheck": "try the bus out in a temporary folder",
    "version": "show the version",
}
INTERRUPTED = 130
BROKEN_PIPE = 141


def run() -> NoReturn:
    """The program. It ends at once: taking the interpreter apart would be a fifth of its time."""
    # Whoever started it may have closed them; they stay open as long as the process lives.
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    code = main()
    with suppress(OSError):  # whoever read it may have gone
        sys.stdout.flush()
    os._exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code (docs/aig.md, "Exit codes")."""
    try:
        code = _run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
        return code
    except BusError as error:
        return _ended(str(error), error.exit_code)
    except BrokenPipeError:  # whoever read our words has gone, and needs no more
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return BROKEN_PIPE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _ended(f"{where}{error.strerror or error}. `aig doctor` looks at the folder.", BusError.exit_code)
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(argv: list[str]) -> int:
    name, rest = split(argv)
    if name is None and "--version" in rest:
        name, rest = "version", [word for word in rest if word != "--version"]
    if name == "help" and rest[:1] and rest[0] in COMMANDS:
        name, rest = rest[0], ["--help"]
    if name in (None, "help"):
        sys.stdout.write(_help())
        return 0 if name or {"-h", "--help"} & set(rest) else UsageError.exit_code
    if name not in COMMANDS:
        raise UsageError(f"There is no command “{name}”. There are: {', '.join(COMMANDS)}.")
    command = import_module(f"rooms.bus.commands.{name}")
    parser = Parser(name, COMMANDS[name])
    command.add_arguments(parser)
    add_global_arguments(parser)
    if {"-h", "--help"} & set(takewhile(lambda word: word != "--", rest)):
        sys.stdout.write(parser.help())
        return 0
    options = parser.parse(rest)
    call = Call(options, Output(is_json=options.json))
    return command.run(call) or 0


def _ended(message: str, code: int) -> int:
    sys.stderr.write(f"aig: {printable(' '.join(message.split()))}\n")
    return code


def _help() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {about}" for name, about in COMMANDS.items()]
    return "\n".join(
        [
            "Usage: aig <command> [--room ROOM] [--as MEMBER] [--json] [--home DIR] …",
            "",
            *lines,
            "",
            "`aig <command> --help` tells about one of them.",
            "Exit codes: 0 done, 1 failed, 2 not understood, 3 wait timed out, 4 wake failed, 5 stopped by a guard.",
            "",
        ]
    )

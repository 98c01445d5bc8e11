"""Finding a program and asking for its version. Never a shell, never a guess in place of what was configured."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path

from adapters.contract import AdapterError
from groupx.kernel.environment import inherited
from groupx.kernel.errors import ErrorCode
from groupx.kernel.home_paths import from_home

VERSION_SECONDS = 5.0
HINT_OF_PLAIN_FILE = "Allow it with “chmod +x”, or correct the command in the configuration."
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)*(?:[-+][0-9A-Za-z.-]+)?")


def find(name: str, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> str | None:
    """The absolute path of an executable: on PATH, or itself a path (also one relative to `cwd`)."""
    path = (inherited() if env is None else env).get("PATH")
    if name.startswith("~"):
        name = str(from_home(name))
    found = shutil.which(name, path=path)
    if found is None and cwd is not None and "/" in name:
        found = shutil.which(str(cwd / name))
    return str(Path(found).absolute()) if found else None


def is_plain_file(name: str, cwd: Path) -> bool:
    """Of a path that `find` does not find: whether a file is there all the same, which nobody may execute."""
    return "/" in name and (cwd / from_home(name)).is_file()


def resolve(argv: tuple[str, ...], env: Mapping[str, str], cwd: Path) -> tuple[str, ...]:
    """The configured command with its executable as a path that exists.

    Raises:
        AdapterError: COMMAND_NOT_FOUND with a sentence that names what is missing, NATIVE_START_FAILED when
            the working folder is.
    """
    if not cwd.is_dir():
        raise AdapterError(
            ErrorCode.NATIVE_START_FAILED,
            f"The working folder “{cwd}” does not exist.",
            hint="Create it, or correct cwd in the configuration.",
        )
    name, *prefix = argv
    found = find(name, env, cwd)
    if found is None and is_plain_file(name, cwd):
        raise AdapterError(
            ErrorCode.COMMAND_NOT_FOUND,
            f"The file “{name}” may not be executed.",
            hint=HINT_OF_PLAIN_FILE,
        )
    if found is None:
        raise AdapterError(
            ErrorCode.COMMAND_NOT_FOUND,
            f"The command “{name}” was not found.",
            hint="Install it, or give its full path in the configuration; a service may see another PATH than you.",
        )
    if prefix and "/" in prefix[0] and not (cwd / prefix[0]).exists():
        raise AdapterError(
            ErrorCode.COMMAND_NOT_FOUND,
            f"The script “{prefix[0]}” was not found.",
            hint="Correct prefixArgs in the configuration.",
        )
    return (found, *prefix)


async def version_of(argv: tuple[str, ...], patience_seconds: float = VERSION_SECONDS) -> str | None:
    """What `--version` tells, None when it tells nothing within that time. Nothing is left running.

    Raises:
        OSError: the system refuses to start it.
    """
    process = await asyncio.create_subprocess_exec(
        *argv,
        "--version",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdout is not None
    output = b""
    try:
        async with asyncio.timeout(patience_seconds):
            while more := await process.stdout.read(4096):
                output += more
                if len(output) > 64 * 1024 or (b"\n" in output and _VERSION.search(output.decode("utf-8", "replace"))):
                    break
    except TimeoutError:
        pass
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(TimeoutError):  # a stray child may hold the pipe for ever
            await asyncio.wait_for(process.wait(), 1.0)
    match = _VERSION.search(output.decode("utf-8", "replace"))
    return match.group() if match else None

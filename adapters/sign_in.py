"""By what one sees that a person has signed in to a CLI, without spending a turn.

No secret is read: that a variable is set or a file lies there is a sign, not a proof. Where a CLI has a command of its
own that tells, it is asked, with a bound.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from enum import StrEnum

from adapters.program import Program
from groupx.kernel.environment import inherited
from groupx.kernel.home_paths import from_home

STATUS_SECONDS = 5.0


class SignIn(StrEnum):
    """What is known without a turn."""

    YES = "yes"
    NO = "no"
    NOT_KNOWN = "not_known"
    """It has no command that tells, or did not tell in time."""


def signs_of_sign_in(program: Program, env: Mapping[str, str] | None = None) -> list[str]:
    """Names of variables and files that are there; never what is in them."""
    env = inherited() if env is None else env
    found = [name for name in program.sign_in_variables if env.get(name)]
    for variable, without, name in program.sign_in_files:
        path = from_home(env.get(variable) or without) / name
        if path.exists():
            found.append(str(path))
    return found


async def ask_for_sign_in(program: Program, argv: tuple[str, ...]) -> SignIn:
    """What the CLI itself says, as far as it has a command for that. `argv` is its command; nothing is left running."""
    if not program.sign_in_status:
        return SignIn.NOT_KNOWN
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            *program.sign_in_status,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return SignIn.NOT_KNOWN
    exit_code = None
    try:
        with contextlib.suppress(TimeoutError):
            exit_code = await asyncio.wait_for(process.wait(), STATUS_SECONDS)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    return {0: SignIn.YES, 1: SignIn.NO}.get(exit_code if exit_code is not None else -1, SignIn.NOT_KNOWN)

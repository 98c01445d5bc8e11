"""`aig doctor`: which channels can be used here, and whether the folder can. Leaves no trace in any room."""

import os

from rooms.bus.arguments import Parser
from rooms.bus.call import Call
from rooms.bus.channels import Found, look_around
from rooms.bus.errors import BusError
from rooms.bus.folder import Home


def add_arguments(parser: Parser) -> None:
    pass


def run(call: Call) -> None:
    """
    Raises:
        BusError: the folder cannot be written.
    """
    found, fault = look_around(), fault_of(call.home)
    if call.out.is_json:
        channels = [
            {
                "transport": channel.transport,
                "found": channel.is_usable,
                "path": channel.path,
                "version": channel.version,
            }
            for channel in found
        ]
        writable = {"home": str(call.home.path), "writable": fault is None, "fault": fault}
        call.out.record({**writable, "channels": channels})
    else:
        call.out.table([("folder", f"{call.home.path} {'can be written' if fault is None else 'CANNOT be written'}")])
        call.out.table([("channel", "version", "program"), *map(_row, found)])
    if fault is not None:
        raise BusError(f"{call.home.path} cannot be written ({fault}): mend its rights, or name another with --home.")


def fault_of(home: Home) -> str | None:
    """Why nothing can be written there; it is tried. For a folder that is not there yet, where it would be made."""
    folder = next(path for path in (home.path, *home.path.parents) if path.exists())
    trial = folder / f".aig-doctor-{os.urandom(4).hex()}"
    try:
        trial.mkdir()
        trial.rmdir()
    except OSError as error:
        return error.strerror or str(error)
    return None


def _row(channel: Found) -> tuple[str, str, str]:
    if not channel.looked_for:
        return channel.transport, "–", "needs no program of its own"
    if channel.path is None:
        return channel.transport, "–", f"not found: {', '.join(channel.looked_for)}"
    return channel.transport, channel.version or "?", channel.path

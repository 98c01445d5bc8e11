"""The assistant's tools of the configuration file: read it as the setup page does, and save it (edge)."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

from anyio import CancelScope
from pydantic import Field, with_config

from assistant.operator.context_tools import Nothing
from assistant.operator.room import OperatorCall
from groupx.kernel.answers import ANSWER
from groupx.kernel.as_typed import as_typed_for
from rooms.actions.run_once import kept_answer, run_once
from rooms.command_names import CommandName
from rooms.requests import Once
from rooms.transactions import in_db
from turns.tools.tool import Tool


class SaveSetup(Once):
    config: Annotated[
        dict[str, Any], Field(description="As setup_read gives it, whole and with your changes. Nothing else is in it.")
    ]


@with_config(ANSWER)
class SetupRead(TypedDict):
    configPath: str
    existing: bool
    runtimeActive: bool
    drivers: list[dict[str, Any]]
    """The CLIs that agents may be of: whether each was found, where, and how to get it."""
    config: dict[str, Any]
    """What setup_save takes."""
    suggested: NotRequired[dict[str, Any]]
    problem: NotRequired[str]
    """What is wrong with the file; it cannot be saved then."""


@with_config(ANSWER)
class SetupKept(TypedDict):
    saved: bool
    restartRequired: bool
    configPath: str
    backupPath: NotRequired[str]
    """The file as it was before."""
    agents: list[str]
    """Their ids."""
    hint: NotRequired[str]
    """What to do next."""


async def _read(request: Nothing, call: OperatorCall) -> Mapping[str, Any]:
    return await call.room.setup.read()


async def _save(request: SaveSetup, call: OperatorCall) -> Mapping[str, Any]:
    """The file is no part of the database: a server that dies between the two saves the same once more. A client that
    leaves changes nothing of that."""
    command = (call.caller, request.client_command_id, CommandName.OPERATOR_SETUP_SAVE, request.canonical())
    with CancelScope(shield=True):
        async with call.room.saving:  # of two with the same id the second must find the receipt of the first
            known = await in_db(kept_answer, *command)
            if known is not None:
                return known.result
            saved = dict(await call.room.setup.save(request.config))
            if saved["restartRequired"]:
                saved["hint"] = _how_to_restart(saved["configPath"])
            receipt = await in_db(run_once, *command, partial(dict, saved), clock=call.room.clock)
            return receipt.result


def _how_to_restart(config_path: str) -> str:
    return (
        "The room goes on with what it was started with. Tell the person to restart it: with the button on the room's "
        f"page, or by “{as_typed_for(Path(config_path), 'restart')}” in a terminal. You cannot do it."
    )


SETUP_READ = Tool(
    name="setup_read",
    description=(
        "Reads the room's configuration file as the setup page shows it: the agents with driver, name, identity, "
        "command and folder, the assistant, the port; and which CLIs are installed. Changes nothing. May take seconds."
    ),
    request=Nothing,
    answer=SetupRead,
    run=_read,
)
SETUP_SAVE = Tool(
    name="setup_save",
    description=(
        "Writes the room's configuration file; the former one is kept beside it. Read it first, change what the person "
        "wants, and give all of it: an agent that is left out is taken out of the room. Nothing changes before the "
        "person restarts the room. A draft that does not fit is refused with each wrong field, and the file stays."
    ),
    request=SaveSetup,
    answer=SetupKept,
    run=_save,
)

"""The commands on memory, identity and context, each once per clientCommandId. What REST and the assistant's tools use.

`name` is that of the receipt, and says through which of both it came.
"""

from typing import Any, Protocol

from groupx.kernel.clock import Clock
from memory.actions.remember import remember_identity, remember_memory
from memory.actions.reset_context import reset_context
from memory.actions.retract import retract_identity, retract_memory
from memory.actions.supersede import supersede_identity, supersede_memory
from memory.drafts import IdentityDraft, MemoryDraft, Occasion, Revision
from rooms.actions.run_once import Receipt, run_once
from rooms.caller import Caller
from rooms.command_names import CommandName
from rooms.requests import Once


class Remember[Draft](Protocol):
    """What keeps something, in whatever shape it came."""

    @property
    def client_command_id(self) -> str: ...
    def canonical(self) -> dict[str, Any]: ...
    def draft(self) -> Draft: ...


class Revise(Protocol):
    @property
    def client_command_id(self) -> str: ...
    def canonical(self) -> dict[str, Any]: ...
    def revision(self) -> Revision: ...


def remember(
    command: Remember[MemoryDraft], *, caller: Caller, clock: Clock, name: CommandName = CommandName.MEMORY_REMEMBER
) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        name,
        command.canonical(),
        lambda: remember_memory(command.draft(), caller=caller, occasion=Occasion(), clock=clock),
        clock=clock,
    )


def supersede(
    memory_id: str,
    command: Revise,
    *,
    caller: Caller,
    clock: Clock,
    name: CommandName = CommandName.MEMORY_SUPERSEDE,
) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        name,
        {"memoryId": memory_id, **command.canonical()},
        lambda: supersede_memory(memory_id, command.revision(), caller=caller, occasion=Occasion(), clock=clock),
        clock=clock,
    )


def retract(
    memory_id: str, command: Once, *, caller: Caller, clock: Clock, name: CommandName = CommandName.MEMORY_RETRACT
) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        name,
        {"memoryId": memory_id},
        lambda: retract_memory(memory_id, caller=caller, occasion=Occasion(), clock=clock),
        clock=clock,
    )


def remember_who(
    command: Remember[IdentityDraft],
    *,
    caller: Caller,
    clock: Clock,
    name: CommandName = CommandName.IDENTITY_REMEMBER,
) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        name,
        command.canonical(),
        lambda: remember_identity(command.draft(), caller=caller, occasion=Occasion(), clock=clock),
        clock=clock,
    )


def supersede_who(
    identity_id: str,
    command: Revise,
    *,
    caller: Caller,
    clock: Clock,
    name: CommandName = CommandName.IDENTITY_SUPERSEDE,
) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        name,
        {"identityId": identity_id, **command.canonical()},
        lambda: supersede_identity(identity_id, command.revision(), caller=caller, occasion=Occasion(), clock=clock),
        clock=clock,
    )


def retract_who(
    identity_id: str, command: Once, *, caller: Caller, clock: Clock, name: CommandName = CommandName.IDENTITY_RETRACT
) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        name,
        {"identityId": identity_id},
        lambda: retract_identity(identity_id, caller=caller, occasion=Occasion(), clock=clock),
        clock=clock,
    )


def begin_anew(
    command: Once,
    *,
    caller: Caller,
    max_characters: int,
    clock: Clock,
    name: CommandName = CommandName.CONTEXT_RESET,
) -> Receipt:
    """Reset the room's context. `max_characters`: what a packet may have, for the usage in the answer."""
    return run_once(
        caller,
        command.client_command_id,
        name,
        {},
        lambda: reset_context(caller=caller, max_characters=max_characters, clock=clock),
        clock=clock,
    )

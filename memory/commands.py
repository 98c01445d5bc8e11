"""The commands on memory, identity and context, each once per clientCommandId. What REST, tools and the admin call."""

from groupx.kernel.clock import Clock
from memory.actions.remember import remember_identity, remember_memory
from memory.actions.reset_context import reset_context
from memory.actions.retract import retract_identity, retract_memory
from memory.actions.supersede import supersede_identity, supersede_memory
from memory.drafts import Occasion
from memory.requests import RememberIdentity, RememberMemory, ReviseIdentity, ReviseMemory
from rooms.actions.run_once import Receipt, run_once
from rooms.caller import Caller
from rooms.command_names import CommandName
from rooms.requests import Command


def remember(command: RememberMemory, *, caller: Caller, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        CommandName.MEMORY_REMEMBER,
        command.canonical(),
        lambda: remember_memory(command.draft(), caller=caller, occasion=Occasion(), clock=clock),
        clock=clock,
    )


def supersede(memory_id: str, command: ReviseMemory, *, caller: Caller, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        CommandName.MEMORY_SUPERSEDE,
        {"memoryId": memory_id, **command.canonical()},
        lambda: supersede_memory(memory_id, command.revision(), caller=caller, occasion=Occasion(), clock=clock),
        clock=clock,
    )


def retract(memory_id: str, command: Command, *, caller: Caller, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        CommandName.MEMORY_RETRACT,
        {"memoryId": memory_id},
        lambda: retract_memory(memory_id, caller=caller, occasion=Occasion(), clock=clock),
        clock=clock,
    )


def remember_who(command: RememberIdentity, *, caller: Caller, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        CommandName.IDENTITY_REMEMBER,
        command.canonical(),
        lambda: remember_identity(command.draft(), caller=caller, occasion=Occasion(), clock=clock),
        clock=clock,
    )


def supersede_who(identity_id: str, command: ReviseIdentity, *, caller: Caller, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        CommandName.IDENTITY_SUPERSEDE,
        {"identityId": identity_id, **command.canonical()},
        lambda: supersede_identity(identity_id, command.revision(), caller=caller, occasion=Occasion(), clock=clock),
        clock=clock,
    )


def retract_who(identity_id: str, command: Command, *, caller: Caller, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        CommandName.IDENTITY_RETRACT,
        {"identityId": identity_id},
        lambda: retract_identity(identity_id, caller=caller, occasion=Occasion(), clock=clock),
        clock=clock,
    )


def begin_anew(command: Command, *, caller: Caller, max_characters: int, clock: Clock) -> Receipt:
    """Reset the room's context. `max_characters`: what a packet may have, for the usage in the answer."""
    return run_once(
        caller,
        command.client_command_id,
        CommandName.CONTEXT_RESET,
        {},
        lambda: reset_context(caller=caller, max_characters=max_characters, clock=clock),
        clock=clock,
    )

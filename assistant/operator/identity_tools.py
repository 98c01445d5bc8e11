"""The assistant's tools of identity: what is said of who somebody is (edge)."""

from assistant.operator.record_requests import FindIdentity, RetractIdentity, SupersedeIdentity
from assistant.operator.room import OperatorCall
from memory import commands
from memory.answers import IdentityKept, IdentityRetracted
from memory.requests import KeepIdentity
from rooms.command_names import CommandName
from rooms.transactions import in_db, in_reader
from turns.memory_answers import IdentitiesFound
from turns.queries.remembered import USUALLY_FOUND, identity_found
from turns.tools.tool import Tool


async def _search(request: FindIdentity, call: OperatorCall) -> IdentitiesFound:
    return await in_reader(identity_found, request.asked(USUALLY_FOUND))


async def _remember(request: KeepIdentity, call: OperatorCall) -> IdentityKept:
    name = CommandName.OPERATOR_IDENTITY_REMEMBER_FOR
    receipt = await in_db(commands.remember_who, request, caller=call.caller, clock=call.room.clock, name=name)
    return receipt.result


async def _supersede(request: SupersedeIdentity, call: OperatorCall) -> IdentityKept:
    name, which = CommandName.OPERATOR_IDENTITY_SUPERSEDE, request.identity_id
    receipt = await in_db(commands.supersede_who, which, request, caller=call.caller, clock=call.room.clock, name=name)
    return receipt.result


async def _retract(request: RetractIdentity, call: OperatorCall) -> IdentityRetracted:
    name, which = CommandName.OPERATOR_IDENTITY_RETRACT, request.identity_id
    receipt = await in_db(commands.retract_who, which, request, caller=call.caller, clock=call.room.clock, name=name)
    return receipt.result


IDENTITY_SEARCH = Tool(
    name="identity_search",
    description=(
        "Finds what is said of who somebody in the room is, by words and filters; changes nothing. Without words the "
        "newest come first. What the configuration says of agents is in setup_read."
    ),
    request=FindIdentity,
    answer=IdentitiesFound,
    run=_search,
)
IDENTITY_REMEMBER_FOR = Tool(
    name="identity_remember_for",
    description=(
        "Says something lasting of who an agent is and how it shall work, as seen by you: it is given it in each later "
        "turn. Wakes nobody."
    ),
    request=KeepIdentity,
    answer=IdentityKept,
    run=_remember,
)
IDENTITY_SUPERSEDE = Tool(
    name="identity_supersede",
    description=(
        "Puts a new version in the place of an active record of identity, about the same subject; the old one stays "
        "readable as superseded."
    ),
    request=SupersedeIdentity,
    answer=IdentityKept,
    run=_supersede,
)
IDENTITY_RETRACT = Tool(
    name="identity_retract",
    description=(
        "Takes an active record of identity back: its agent is given it no more. It stays readable as retracted, and "
        "cannot be made active again."
    ),
    request=RetractIdentity,
    answer=IdentityRetracted,
    run=_retract,
)

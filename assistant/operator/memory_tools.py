"""The assistant's tools of memory: the room's, of conversations, and what agents keep for themselves (edge)."""

from assistant.operator.record_requests import KeepCoreMemory, KeepMemory, RetractMemory, SupersedeMemory
from assistant.operator.room import OperatorCall
from memory import commands
from memory.answers import MemoryKept, MemoryRetracted
from rooms.command_names import CommandName
from rooms.transactions import in_db, in_reader
from turns.memory_answers import MemoriesFound
from turns.memory_requests import MemorySearchRequest
from turns.queries.remembered import memories_found
from turns.tools.tool import Tool


async def _search(request: MemorySearchRequest, call: OperatorCall) -> MemoriesFound:
    return await in_reader(memories_found, request)


async def _remember(request: KeepMemory, call: OperatorCall) -> MemoryKept:
    name = CommandName.OPERATOR_MEMORY_REMEMBER
    receipt = await in_db(commands.remember, request, caller=call.caller, clock=call.room.clock, name=name)
    return receipt.result


async def _remember_core(request: KeepCoreMemory, call: OperatorCall) -> MemoryKept:
    name = CommandName.OPERATOR_AGENT_CORE_REMEMBER
    receipt = await in_db(commands.remember, request, caller=call.caller, clock=call.room.clock, name=name)
    return receipt.result


async def _supersede(request: SupersedeMemory, call: OperatorCall) -> MemoryKept:
    name, memory_id = CommandName.OPERATOR_MEMORY_SUPERSEDE, request.memory_id
    receipt = await in_db(commands.supersede, memory_id, request, caller=call.caller, clock=call.room.clock, name=name)
    return receipt.result


async def _retract(request: RetractMemory, call: OperatorCall) -> MemoryRetracted:
    name, memory_id = CommandName.OPERATOR_MEMORY_RETRACT, request.memory_id
    receipt = await in_db(commands.retract, memory_id, request, caller=call.caller, clock=call.room.clock, name=name)
    return receipt.result


MEMORY_SEARCH = Tool(
    name="memory_search",
    description=(
        "Finds what is remembered in the room: for everybody, for conversations, and what each agent keeps for itself, "
        "its dated memory too. By words and filters; changes nothing. Without words the newest come first. Long texts "
        "are cut: ask for one alone (limit 1) for more of it."
    ),
    request=MemorySearchRequest,
    answer=MemoriesFound,
    run=_search,
)
MEMORY_REMEMBER = Tool(
    name="memory_remember",
    description=(
        "Keeps something for everybody in the room: each agent is given it from its next turn on, the person sees it; "
        "wakes nobody. With a correlation as scope it is kept for that conversation alone."
    ),
    request=KeepMemory,
    answer=MemoryKept,
    run=_remember,
)
MEMORY_SUPERSEDE = Tool(
    name="memory_supersede",
    description=(
        "Puts a new version in the place of an active memory, of the same scope and about the same subject; the old "
        "one stays readable as superseded. Not of dated memory, which its agent alone writes."
    ),
    request=SupersedeMemory,
    answer=MemoryKept,
    run=_supersede,
)
MEMORY_RETRACT = Tool(
    name="memory_retract",
    description=(
        "Takes an active memory back, dated memory too: no agent is given it any more. It stays readable as retracted, "
        "and cannot be made active again."
    ),
    request=RetractMemory,
    answer=MemoryRetracted,
    run=_retract,
)
AGENT_CORE_REMEMBER = Tool(
    name="agent_core_remember",
    description=(
        "Keeps something for one agent alone, in its core memory: it is given it in each later turn, other agents are "
        "not. Wakes nobody."
    ),
    request=KeepCoreMemory,
    answer=MemoryKept,
    run=_remember_core,
)

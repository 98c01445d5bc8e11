"""The tools of memory and identity: what an agent keeps for later, and finds again (edge)."""

from memory.answers import IdentityKept, MemoryKept
from rooms.transactions import in_db, in_reader
from turns import member_commands
from turns.memory_answers import IdentityRead, MemoriesFound
from turns.memory_requests import (
    CoreMemoryRequest,
    IdentityReadRequest,
    IdentityRequest,
    MemoryRequest,
    MemorySearchRequest,
)
from turns.queries.remembered import identity_for, memories_found
from turns.tools.tool import Tool, ToolCall


async def _search(request: MemorySearchRequest, call: ToolCall) -> MemoriesFound:
    return await in_reader(memories_found, request, reader_id=call.member.caller.actor.actor_id)


async def _remember(request: MemoryRequest | CoreMemoryRequest, call: ToolCall) -> MemoryKept:
    receipt = await in_db(member_commands.remember, request, member=call.member, clock=call.room.clock)
    return receipt.result


async def _read_identity(request: IdentityReadRequest, call: ToolCall) -> IdentityRead:
    return await in_reader(identity_for, call.member.caller.actor.actor_id, request)


async def _remember_self(request: IdentityRequest, call: ToolCall) -> IdentityKept:
    receipt = await in_db(member_commands.remember_self, request, member=call.member, clock=call.room.clock)
    return receipt.result


MEMORY_SEARCH = Tool(
    name="memory_search",
    description=(
        "Finds what the room, its conversations and you yourself have remembered, by words and filters; changes "
        "nothing. Parts of words count; without words the newest come first. Long texts are cut: ask for one alone "
        "(limit 1) for more of it."
    ),
    request=MemorySearchRequest,
    answer=MemoriesFound,
    run=_search,
)
MEMORY_REMEMBER = Tool(
    name="memory_remember",
    description=(
        "Keeps something for everybody in the room: each agent is given it from its next turn on, the person sees it; "
        "wakes nobody. For facts, decisions and rules that shall hold beyond this turn. With a correlation as scope it "
        "is kept for that conversation alone."
    ),
    request=MemoryRequest,
    answer=MemoryKept,
    run=_remember,
)
CORE_MEMORY_REMEMBER = Tool(
    name="core_memory_remember",
    description=(
        "Keeps something for you alone: you are given it in each later turn, also in a fresh session; other agents are "
        "not. Wakes nobody."
    ),
    request=CoreMemoryRequest,
    answer=MemoryKept,
    run=_remember,
)
IDENTITY_READ = Tool(
    name="identity_read",
    description="Reads who somebody in the room is, as configured and as said of it; changes nothing.",
    request=IdentityReadRequest,
    answer=IdentityRead,
    run=_read_identity,
)
IDENTITY_REMEMBER = Tool(
    name="identity_remember",
    description=(
        "Says something lasting of who you are and how you work: you are given it in each later turn, others can read "
        "it. Of you alone; what you think of others is memory of the room. Wakes nobody."
    ),
    request=IdentityRequest,
    answer=IdentityKept,
    run=_remember_self,
)

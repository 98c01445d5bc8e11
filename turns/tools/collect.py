"""`collect`: the answers to an earlier `ask` (edge)."""

from rooms.transactions import in_reader
from turns.asked import to_wait_for
from turns.member_answers import Asked
from turns.member_requests import CollectRequest
from turns.queries.asked import find_ask
from turns.tools.answer_wait import AnswerWait, told
from turns.tools.tool import Tool, ToolCall


async def _run(request: CollectRequest, call: ToolCall) -> Asked:
    correlation_id = await in_reader(find_ask, request.message_event_id, call.member.turn)
    waited = await AnswerWait(request.message_event_id, call, call.member.turn, to_wait_for).within(request.timeout_ms)
    return told(request.message_event_id, correlation_id, waited.turns, call)


COLLECT = Tool(
    name="collect",
    description=(
        "Gets the answers to an earlier ask by its messageEventId; wakes nobody and asks nothing again. Waits "
        "(timeoutMs, at most 60000, usually 50000) for agents that are at it, not for those with other turns to do."
    ),
    request=CollectRequest,
    answer=Asked,
    run=_run,
)

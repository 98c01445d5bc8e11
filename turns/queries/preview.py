"""What each agent would be given for a draft if it were sent and taken up now. Nothing is written, nobody is woken."""

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from memory.packet_text import NOT_SENT, PacketMessage
from rooms.caller import Caller
from rooms.queries import last_seq, newest_native_session
from turns.message_checks import check_reply, check_size
from turns.preview_answers import AgentPreview, Preview
from turns.queries.packets import packet_for
from turns.requests import MessageDraft
from turns.roster import check_queues, resolve_targets

NO_CONVERSATION = ""
"""The message would begin one; nothing is kept of it yet."""


def preview(draft: MessageDraft, *, caller: Caller, limits: Limits) -> Preview:
    """The packets of this moment, from what each agent's present native session has been given.

    The text is that of dispatch, but for what is known only when the message is sent: its id and seq stand as
    `given-when-sent`, and `through_seq` is the newest there is.

    Raises:
        GroupXError: what sending it would be refused with: MESSAGE_TOO_LARGE, UNKNOWN_TARGET, NOT_FOUND
            (replyToEventId), QUEUE_CAPACITY_REACHED.
    """
    check_size(draft.content, limits)
    targets = resolve_targets(draft.to)
    check_reply(draft.reply_to_event_id)
    check_queues(targets, limits)
    message = PacketMessage(
        event_id=NOT_SENT,
        seq=None,
        author=caller.actor.actor_id,
        source=caller.source_kind.value,
        content=draft.content,
        to=tuple(targets),
        reply_to=draft.reply_to_event_id,
    )
    through_seq = last_seq()
    return {"agents": [_for_agent(target, message, through_seq, limits.context_characters) for target in targets]}


def _for_agent(target: str, message: PacketMessage, through_seq: int, max_chars: int) -> AgentPreview:
    try:
        packet = packet_for(
            target,
            _present_session(target),
            source=message,
            root_correlation_id=NO_CONVERSATION,
            through_seq=through_seq,
            max_chars=max_chars,
        )
    except GroupXError as error:
        if error.code is not ErrorCode.CONTEXT_BUDGET_EXCEEDED:
            raise
        return {
            "actorId": target,
            "text": None,
            "characters": None,
            "omissions": {},
            "needsCompaction": False,
            "problem": {"code": error.code, "message": error.message},
        }
    given: AgentPreview = {
        "actorId": target,
        "text": packet.text,
        "characters": len(packet.text),
        "omissions": packet.omissions,
        "needsCompaction": packet.needs_compaction,
    }
    if packet.summary_through_seq is not None:
        given["summaryThroughSeq"] = packet.summary_through_seq
    return given


def _present_session(actor_id: str) -> str | None:
    """The one that is open, or else would be resumed; None where the agent begins a fresh one."""
    newest = newest_native_session(actor_id)
    return newest.native_session_id if newest is not None and newest.is_resumable else None

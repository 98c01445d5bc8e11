"""Which terminal a prompt gets. Pure.

Only the first ending counts. What looks like success may not be: an end without any text or tool call is a
failure of ours to report, since several agents swallow a model's error in that way.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from adapters.contract import Cancelled, Completed, Failed, Interrupted, SessionLoss, Terminal, UsageReported
from adapters.failures import error_of_text, failure_of
from adapters.jsonrpc import RpcError
from groupx.kernel.errors import ErrorCode

WITH_NOTE = ("max_tokens", "max_turn_requests", "refusal")
"""Stop reasons that complete a turn, with a visible note."""


@dataclass(frozen=True)
class Interaction:
    """The agent wants something from a person: "permission" or "an answer"."""

    kind: str


@dataclass(frozen=True, kw_only=True)
class PromptReply:
    """The agent's own word that the turn is over."""

    stop_reason: str
    error: str | None = None
    """What went wrong, of an agent that puts it beside an ordinary stop reason."""
    usage: UsageReported | None = None
    """What is told with it of the whole turn."""


@dataclass(frozen=True)
class BrokenOff:
    """A driver ended the turn itself: what it found must not go on."""

    failure: Failed


type Ending = PromptReply | RpcError | Failed | SessionLoss | Interaction | BrokenOff


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a turn had given when it ended."""

    text: str
    used_tools: bool
    thought: bool
    cancel_sent: bool
    session_is_proven: bool
    """False for the first turn after a resume, until it has given anything."""
    diagnostics: Mapping[str, int]


def terminal_of(ending: Ending, seen: Seen, sign_in: str | None) -> Terminal:
    match ending:
        case BrokenOff(failure):
            return failure
        case SessionLoss():
            return failure_of_loss(ending)
        case Interaction():
            return Failed(
                code=ErrorCode.UNEXPECTED_NATIVE_INTERACTION,
                message=f"The agent asked for {ending.kind} in the middle of its turn.",
                hint="GroupX never answers on your behalf: do this step yourself, or ask for it in another way.",
            )
        case _ if seen.cancel_sent:  # also for end_turn or an error: agents differ in what they make of a cancel
            return Cancelled(is_certain=isinstance(ending, PromptReply) and ending.stop_reason == "cancelled")
        case RpcError():
            return failure_of(ending, sign_in)
        case Failed():
            return ending
        case PromptReply():
            if ending.error is not None:
                return failure_of(error_of_text(ending.error), sign_in)
            return _terminal_of_reply(ending.stop_reason, seen)


def failure_of_loss(loss: SessionLoss) -> Failed:
    hint = "The next message starts the agent again."
    return Failed(code=loss.code, message=loss.message, hint=hint, session_lost=True)


def _terminal_of_reply(reason: str, seen: Seen) -> Terminal:
    has_answer = bool(seen.text.strip())
    if reason == "refusal" and not (seen.session_is_proven or has_answer or seen.used_tools):
        return Failed(
            code=ErrorCode.NATIVE_SESSION_LOST,
            message="The agent refused without a word right after its session was resumed: it is not there any more.",
            hint="The next message starts a fresh session.",
            session_lost=True,
        )
    if reason == "cancelled":
        return Interrupted(
            code=ErrorCode.NATIVE_CANCELLED, message="The agent cancelled its turn by itself; nobody had asked for it."
        )
    if reason in WITH_NOTE or (reason == "end_turn" and (has_answer or seen.used_tools)):
        return Completed(seen.text, reason)
    if reason == "end_turn":
        return _empty(seen)
    if has_answer:
        return Completed(seen.text, reason)
    return Failed(
        code=ErrorCode.NATIVE_ERROR,
        message=f"The agent stopped without an answer, for the reason “{reason}”.",
        hint="Try again; if it stays, run the agent by itself to see more.",
    )


def _empty(seen: Seen) -> Failed:
    hint = "Often the model failed or refused, and the agent keeps the reason in a log of its own."
    if seen.thought:
        hint = f"It only thought aloud. {hint}"
    if seen.diagnostics:
        odd = ", ".join(f"{kind.replace('_', ' ')} ({number})" for kind, number in sorted(seen.diagnostics.items()))
        hint = f"{hint} Seen on the way: {odd}."
    return Failed(
        code=ErrorCode.NATIVE_EMPTY_RESPONSE, message="The agent ended its turn without any answer.", hint=hint
    )

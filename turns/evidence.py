"""What a turn shows of what its agent is able to, and when something new is worth keeping. Pure.

docs/protocol.md, "Capabilities".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from adapters.contract import Capability, Evidence
from groupx.kernel.errors import ErrorCode
from turns.recording import Recording
from turns.state import TurnStatus

ASKS_FOR_ELSEWHERE = frozenset({"edit", "delete", "move", "execute"})
"""Kinds of tools that an agent which is not unrestricted asks a person about."""
PIECES_OF_A_STREAM = 2
"""A single piece may as well be a whole answer."""


class Source(StrEnum):
    """Where something was seen."""

    HANDSHAKE = "handshake"
    """Told with a session, or seen on its way, before any model was asked."""
    TURN = "turn"
    """In a turn of this room."""
    CHECK = "check"
    """In a turn that the doctor ran."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """One capability of one version of a CLI."""

    evidence: Evidence
    source: Source


def seen_in_turn(
    recording: Recording,
    *,
    status: TurnStatus,
    error_code: ErrorCode | None,
    is_resumed: bool,
    heeded_cancel: bool,
) -> dict[Capability, Evidence]:
    """What this turn proves, or contradicts. What it says nothing about is not in it.

    `is_resumed`: of its session. `heeded_cancel`: the agent ended the turn because we asked it to.
    """
    is_completed, used = status is TurnStatus.COMPLETED, recording.usage
    done = [tool for tool in recording.tools if tool.native_type == "tool.completed" and tool.status == "completed"]
    shown = {
        Capability.PROMPT: is_completed,
        Capability.STREAM: len(recording.pieces) >= PIECES_OF_A_STREAM,
        Capability.REASONING: bool(recording.reasoning.strip()),
        Capability.TOOLS: bool(done),
        Capability.CANCEL: heeded_cancel,
        Capability.RESUME: is_completed and is_resumed,
        Capability.UNRESTRICTED: any(tool.details.get("kind") in ASKS_FOR_ELSEWHERE for tool in done),
        Capability.USAGE: used is not None and used.total_tokens is not None,
        Capability.COST: used is not None and used.cost_usd is not None,
    }
    seen = {capability: Evidence.VERIFIED for capability, is_shown in shown.items() if is_shown}
    if error_code is ErrorCode.UNEXPECTED_NATIVE_INTERACTION:
        seen[Capability.UNRESTRICTED] = Evidence.UNSUPPORTED
    if error_code is ErrorCode.TURN_CANCEL_TIMEOUT:
        seen[Capability.CANCEL] = Evidence.UNSUPPORTED
    return seen


def is_news(evidence: Evidence, source: Source, known: Known | None) -> bool:
    """Whether it is to be kept: what a turn showed stays until a turn shows the contrary, or another version comes.

    A handshake says more only where no turn has spoken yet; that something is documented is the least of all.
    """
    if known is None:
        return True
    if source is Source.HANDSHAKE and (known.source is not Source.HANDSHAKE or evidence is Evidence.DOCUMENTED):
        return False
    return evidence is not known.evidence


def news(
    seen: Mapping[Capability, Evidence], source: Source, known: Mapping[Capability, Known]
) -> dict[Capability, Evidence]:
    return {what: evidence for what, evidence in seen.items() if is_news(evidence, source, known.get(what))}

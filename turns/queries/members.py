"""Who stands behind a binding, and in which turn it is."""

from typing import Any

from django.db.models import OuterRef, Subquery

from adapters.contract import Capability, Evidence
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.ids import handle_hash
from rooms.caller import Caller
from rooms.envelope import ActorRef
from rooms.models import SessionBinding
from rooms.prepared import PreparedSelect
from rooms.transactions import joins
from rooms.vocabulary import SourceKind
from turns.evidence import Source
from turns.member import CallersTurn, Member
from turns.models import CapabilityEvidence, Turn, TurnAttempt
from turns.state import CommandType, DispatchPhase, LaneStatus, TurnStatus

_BINDING = PreparedSelect(
    lambda hashed: SessionBinding.objects.filter(handle_hash=hashed, closed_at=None).values_list(
        "binding_id", "actor_id", "actor__display_name", "instance_id"
    )
)
_DOOR = PreparedSelect(
    lambda capability, hashed: (
        SessionBinding.objects.filter(handle_hash=hashed)
        .annotate(
            evidence=Subquery(
                CapabilityEvidence.objects.filter(
                    cli=OuterRef("actor__lane__cli"), capability=capability, source=Source.HANDSHAKE.value
                ).values("evidence")
            )
        )
        .values_list("closed_at", "instance_id", "actor__lane__status", "evidence")
    )
)
_LIVE_TURN = PreparedSelect(
    lambda actor_id, binding_id: TurnAttempt.objects.filter(
        turn__target_id=actor_id,
        turn__ended_at=None,
        binding_id=binding_id,
        dispatch_phase__in=[DispatchPhase.PROMPT_INVOKED.value, DispatchPhase.NATIVE_STARTED.value],
    ).values_list(
        "turn__status",
        "turn_id",
        "turn__source_event_id",
        "turn__correlation_id",
        "turn__root_correlation_id",
        "turn__hop_count",
        "turn__command_type",
    )
)
_STATUS = PreparedSelect(lambda turn_id: Turn.objects.filter(turn_id=turn_id).values_list("status"))
_AT_WORK = (TurnStatus.DISPATCHING, TurnStatus.RUNNING)


def check_handle(handle: str) -> None:
    """Whether the room's tools are open to whoever shows this (docs/mcp.md, "Who calls").

    Raises:
        GroupXError: MCP_UNAVAILABLE, MCP_BINDING_MISMATCH.
    """
    found = _DOOR.fetch_first(Capability.MCP.value, handle_hash(handle)) if handle else None
    closed_at, instance_id, lane_status, evidence = found or (None, None, None, None)
    if lane_status == LaneStatus.NATIVE_POLICY_BLOCKED:
        raise GroupXError(
            ErrorCode.MCP_UNAVAILABLE,
            "A policy outside the room blocks this agent; the room's tools are closed to it.",
        )
    if found is None or closed_at is not None:
        raise _no_session()
    if instance_id is not None and evidence == Evidence.UNSUPPORTED:  # while it opens, the lane knows the one before
        raise GroupXError(ErrorCode.MCP_UNAVAILABLE, "This agent's CLI says that it takes no tools over HTTP.")


def member_of(handle: str) -> Member:
    """The agent whose open session this secret belongs to, and the turn it is in (docs/mcp.md, "Who calls").

    Raises:
        GroupXError: MCP_BINDING_MISMATCH for a handle of no open session; SESSION_NOT_AVAILABLE while that session has
            no live turn, or one that is being cancelled.
    """
    found = _BINDING.fetch_first(handle_hash(handle))
    if found is None:
        raise _no_session()
    binding_id, actor_id, display_name, instance_id = found
    live = _LIVE_TURN.fetch_first(actor_id, binding_id)
    if live is None:
        raise _no_turn()
    status, turn_id, source_event_id, correlation_id, root_correlation_id, hop_count, command_type = live
    if status == TurnStatus.CANCELLING:
        raise _being_cancelled()
    return _member(
        (binding_id, actor_id, display_name, instance_id),
        (turn_id, source_event_id, correlation_id, root_correlation_id, hop_count, command_type),
    )


def member_of_turn(binding_id: str, turn_id: str) -> Member:
    """Who called out of this turn through this session, whatever has become of both since. Both must exist."""
    binding = SessionBinding.objects.values_list("binding_id", "actor_id", "actor__display_name", "instance_id")
    turn = Turn.objects.values_list(
        "turn_id", "source_event_id", "correlation_id", "root_correlation_id", "hop_count", "command_type"
    )
    return _member(binding.get(binding_id=binding_id), turn.get(turn_id=turn_id))


def _member(binding: tuple[Any, ...], turn: tuple[Any, ...]) -> Member:
    binding_id, actor_id, display_name, instance_id = binding
    turn_id, source_event_id, correlation_id, root_correlation_id, hop_count, command_type = turn
    return Member(
        caller=Caller(
            actor=ActorRef(actor_id=actor_id, display_name=display_name, instance_id=instance_id),
            binding_id=binding_id,
            source_kind=SourceKind.MCP,
        ),
        turn=CallersTurn(
            turn_id=turn_id,
            source_event_id=source_event_id,
            correlation_id=correlation_id,
            root_correlation_id=root_correlation_id,
            hop_count=hop_count,
            command_type=CommandType(command_type),
        ),
    )


def check_still_in_turn(turn: CallersTurn) -> None:
    """In the transaction of what the agent does: nothing may come of a turn after its end or its cancel.

    Raises:
        GroupXError: SESSION_NOT_AVAILABLE
    """
    joins()
    found = _STATUS.fetch_first(turn.turn_id)
    if found is None or found[0] not in _AT_WORK:
        raise _being_cancelled() if found and found[0] == TurnStatus.CANCELLING else _no_turn()


def _no_session() -> GroupXError:
    return GroupXError(
        ErrorCode.MCP_BINDING_MISMATCH, "The header X-GroupX-Binding names no open session of this room."
    )


def _no_turn() -> GroupXError:
    return GroupXError(ErrorCode.SESSION_NOT_AVAILABLE, "The room's tools work only while you are in a turn.")


def _being_cancelled() -> GroupXError:
    return GroupXError(ErrorCode.SESSION_NOT_AVAILABLE, "Your turn is being cancelled; finish it.")

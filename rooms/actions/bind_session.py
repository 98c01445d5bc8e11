"""An agent's process and session enter and leave the books, with the events that tell the room."""

from dataclasses import dataclass

from groupx.kernel.clock import Clock
from groupx.kernel.ids import handle_hash, new_binding_id, new_correlation_id, new_instance_id
from rooms.actions.append_event import append_events
from rooms.bodies import (
    Body,
    SessionFailed,
    SessionReady,
    SessionResumed,
    SessionStarted,
    SessionStarting,
    SessionStopped,
)
from rooms.envelope import ActorRef
from rooms.models import AgentInstance, SessionBinding
from rooms.new_event import NewEvent
from rooms.queries import last_seq
from rooms.transactions import durable, joins
from rooms.vocabulary import ActorKind, SourceKind


@dataclass(frozen=True, kw_only=True)
class NewSession:
    """What a lane knows of a session it has opened. `handle` is the secret the agent shows to the MCP server."""

    handle: str
    pid: int
    process_started_at: float
    native_session_id: str
    cwd: str
    resumed: bool
    context_lost: bool
    """The earlier session was wanted and could not be had."""
    agent_name: str | None
    agent_version: str | None
    fresh_was_asked: bool = False
    """Somebody wanted it without the earlier one."""


@dataclass(frozen=True, kw_only=True)
class BoundSession:
    instance_id: str
    binding_id: str


@durable
def announce_session_start(agent: ActorRef, *, clock: Clock) -> None:
    append_events([_session_event(agent, SessionStarting(actor_id=agent.actor_id))], clock=clock)


@durable
def expect_session(agent: ActorRef, handle: str, cwd: str, *, clock: Clock) -> None:
    """A session is about to open: its CLI is let into the room's MCP server from now on. Many come while they open."""
    SessionBinding.objects.create(
        binding_id=new_binding_id(),
        actor_id=agent.actor_id,
        handle_hash=handle_hash(handle),
        cwd=cwd,
        opened_at=clock.now(),
        opened_seq=last_seq(),
    )


@durable
def forget_expected_session(handle: str) -> None:
    """It did not come about."""
    SessionBinding.objects.filter(handle_hash=handle_hash(handle), instance=None).delete()


@durable
def bind_session(agent: ActorRef, new: NewSession, *, clock: Clock) -> BoundSession:
    """Record the process and its session; the binding is what its MCP calls are known by, perhaps expected already."""
    now, instance_id = clock.now(), new_instance_id()
    AgentInstance.objects.create(
        instance_id=instance_id,
        actor_id=agent.actor_id,
        pid=new.pid,
        process_started_at=new.process_started_at,
        agent_name=(new.agent_name or "")[:120],
        agent_version=(new.agent_version or "")[:120],
        started_at=now,
    )
    facts = {
        "instance_id": instance_id,
        "native_session_id": new.native_session_id,
        "cwd": new.cwd,
        "opened_at": now,
        "opened_seq": last_seq(),
    }
    binding, _is_new = SessionBinding.objects.update_or_create(
        actor_id=agent.actor_id,
        handle_hash=handle_hash(new.handle),
        defaults=facts,
        create_defaults={**facts, "binding_id": new_binding_id()},
    )
    bound = BoundSession(instance_id=instance_id, binding_id=binding.binding_id)
    here = ActorRef(actor_id=agent.actor_id, display_name=agent.display_name, instance_id=bound.instance_id)
    opened: Body = (
        SessionResumed(actor_id=agent.actor_id)
        if new.resumed
        else SessionStarted(
            actor_id=agent.actor_id,
            context_lost=new.context_lost and not new.fresh_was_asked,
            message=_why_fresh(new),
        )
    )
    ready = SessionReady(actor_id=agent.actor_id, agent_name=new.agent_name, agent_version=new.agent_version)
    append_events([_session_event(here, opened), _session_event(here, ready)], clock=clock)
    return bound


def _why_fresh(new: NewSession) -> str | None:
    if new.fresh_was_asked:
        return "The agent starts with a fresh session, as was asked."
    return "The earlier session could not be resumed; the agent starts without it." if new.context_lost else None


@durable
def unbind_session(
    agent: ActorRef, bound: BoundSession, *, exit_code: int | None, reason: str | None, clock: Clock
) -> None:
    """The process has ended: its binding opens nothing any more."""
    now = clock.now()
    SessionBinding.objects.filter(binding_id=bound.binding_id, closed_at=None).update(closed_at=now)
    AgentInstance.objects.filter(instance_id=bound.instance_id).update(ended_at=now, exit_code=exit_code)
    here = ActorRef(actor_id=agent.actor_id, display_name=agent.display_name, instance_id=bound.instance_id)
    append_events([_session_event(here, SessionStopped(actor_id=agent.actor_id, reason=reason))], clock=clock)


@durable
def close_former_sessions(agent: ActorRef, *, clock: Clock) -> None:
    """What a lane does first: sessions of a worker that died are closed, whatever it left behind."""
    now = clock.now()
    SessionBinding.objects.filter(actor_id=agent.actor_id, closed_at=None).update(closed_at=now)
    AgentInstance.objects.filter(actor_id=agent.actor_id, ended_at=None).update(ended_at=now)


def forget_native_sessions(*, clock: Clock) -> None:
    """No agent goes on with a session that is known here: they start fresh. Joins the caller's transaction."""
    joins()
    now = clock.now()
    sessions = SessionBinding.objects.filter(actor__kind=ActorKind.AGENT.value)
    sessions.update(is_resumable=False)
    sessions.filter(closed_at=None).update(closed_at=now)
    AgentInstance.objects.filter(ended_at=None).update(ended_at=now)


def leave_native_session(actor_id: str) -> None:
    """Whoever opens the agent's next session starts fresh. Joins the caller's transaction."""
    joins()
    SessionBinding.objects.filter(actor_id=actor_id, is_resumable=True).exclude(native_session_id="").update(
        is_resumable=False
    )


def append_session_failure(agent: ActorRef, failure: SessionFailed, *, clock: Clock) -> None:
    """Joins the caller's transaction."""
    append_events([_session_event(agent, failure)], clock=clock)


record_session_failure = durable(append_session_failure)


def _session_event(agent: ActorRef, body: Body) -> NewEvent:
    correlation_id = new_correlation_id()
    return NewEvent(
        body=body,
        actor=agent,
        source_kind=SourceKind.ADAPTER,
        correlation_id=correlation_id,
        root_correlation_id=correlation_id,
    )

"""An observer redirects the worker it watches: guidance for everybody to see, and a new turn for the worker."""

from django.db.models import F

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.ids import new_event_id
from rooms.actions.append_event import append_events
from rooms.bodies import MessageCreated, SupervisionSteered, SystemFailure
from rooms.caller import SYSTEM
from rooms.models import Event
from rooms.new_event import NewEvent
from rooms.transactions import durable, joins
from rooms.vocabulary import MAIN_ROOM
from turns.actions.cancel_turn import cancel_turn
from turns.actions.pair_turns import join_pairing
from turns.answers import Steered
from turns.member import Member
from turns.message_checks import check_call, check_size
from turns.models import PairedTurn
from turns.new_turn import insert_turns, new_turn, sent_turn
from turns.queries.members import check_still_in_turn
from turns.queries.supervision import watched_from
from turns.roster import check_queues_for_agents, resolve_targets
from turns.state import CommandType, SteerAction, TurnStatus
from turns.supervision import WorkerTurn, check_steerable, subject_among
from turns.supervision_event import supervision_event
from turns.supervision_requests import SteerRequest


def steer_turn(request: SteerRequest, *, member: Member, limits: Limits, clock: Clock) -> Steered:
    """Append the guidance, cancel the subject where it is interrupted, queue a turn for the guidance.

    Joins the transaction of `run_once`: all of it or nothing.

    Raises:
        GroupXError: SESSION_NOT_AVAILABLE, SUPERVISION_WATCH_REQUIRED, MESSAGE_TOO_LARGE, NOT_FOUND (subjectTurnId),
            STORE_CONFLICT when the subject cannot be steered any more, STEER_LIMIT_REACHED, UNKNOWN_TARGET,
            QUEUE_CAPACITY_REACHED, and what `check_call` refuses.
    """
    joins()
    check_still_in_turn(member.turn)
    turns = watched_from(member.turn)
    check_size(request.content, limits)
    subject = subject_among(turns, request.subject_turn_id)
    check_steerable(subject, turns, request.action)
    [target] = resolve_targets([subject.target])
    check_call(member.turn, [target], CommandType.STEER, limits)
    steers = _count(subject, request.action, limits.steers_per_subject_turn)

    guidance = NewEvent(
        body=MessageCreated(content=request.content),
        actor=member.caller.actor,
        source_kind=member.caller.source_kind,
        correlation_id=member.turn.correlation_id,
        root_correlation_id=member.turn.root_correlation_id,
        causation_id=member.turn.turn_id,
        to=[target],
        reply_to_event_id=subject.source_event_id,
    )
    steer_event_id = new_event_id()
    next_turn = new_turn(target, guidance, CommandType.STEER, member.turn, causation_id=steer_event_id)
    told = supervision_event(
        SupervisionSteered(
            watch_turn_id=member.turn.turn_id,
            subject_turn_id=subject.turn_id,
            target_actor_id=target,
            action=request.action.value,
            reason=request.reason,
            message_event_id=guidance.event_id,
            next_turn_id=next_turn.turn_id,
            steers=steers,
        ),
        member,
        event_id=steer_event_id,
    )
    append_events([guidance, told], clock=clock)
    status = subject.status
    if request.action is SteerAction.INTERRUPT:
        status = TurnStatus(cancel_turn(subject.turn_id, clock=clock)["status"])
    queues = check_queues_for_agents([target], limits)  # without the turn that an interrupt has just cancelled
    insert_turns([next_turn], append_events([next_turn.queued], clock=clock))
    join_pairing(next_turn.turn_id, subject.turn_id)
    return {
        "action": request.action,
        "subjectTurnId": subject.turn_id,
        "subjectStatus": status,
        "steerEventId": steer_event_id,
        "messageEventId": guidance.event_id,
        "nextTurn": sent_turn(next_turn, queues[target]),
        "steers": steers,
        "steersLeft": limits.steers_per_subject_turn - steers,
    }


def _count(subject: WorkerTurn, action: SteerAction, limit: int) -> int:
    """Compare-and-set, whatever was read before: of two observers at the limit one is refused."""
    changes = {"was_interrupted": True} if action is SteerAction.INTERRUPT else {}
    counted = PairedTurn.objects.filter(turn_id=subject.turn_id, steers__lt=limit)
    if counted.update(steers=F("steers") + 1, **changes) != 1:
        raise GroupXError(
            ErrorCode.STEER_LIMIT_REACHED,
            f"The turn {subject.turn_id} of {subject.target} was steered {limit} times, which is the limit. "
            "Its next turn can be steered again.",
            subjectTurnId=subject.turn_id,
            limit=limit,
        )
    return PairedTurn.objects.values_list("steers", flat=True).get(turn_id=subject.turn_id)


@durable
def tell_steer_limit(refused: GroupXError, *, member: Member, clock: Clock) -> None:
    """The room hears once of each turn that reaches the limit, however often its observers try."""
    key = f"turn:{refused.details['subjectTurnId']}:steer_limit"
    if Event.objects.filter(room_id=MAIN_ROOM, idempotency_key=key).exists():
        return
    failure = SystemFailure(
        error_code=refused.code.value,
        message=f"{member.caller.actor.display_name} wanted to steer once more, but this turn has been steered "
        f"{refused.details['limit']} times, which is the limit.",
        hint="Cancel the turn if it should stop, or write to its agent yourself.",
    )
    append_events([supervision_event(failure, member, actor=SYSTEM, idempotency_key=key)], clock=clock)

"""The life of turns in any order (docs/turns.md): messages, lanes that claim, send, start and finish, cancels, retries,
workers that die at any step and others that take over, on a real database. After every step the room keeps what it
promises. Our contract."""

from collections import Counter
from collections.abc import Callable

import hypothesis.strategies as st
from django.db import transaction
from hypothesis import settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from groupx.kernel.config import GroupXConfig, Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.actions.bind_session import BoundSession
from rooms.actions.seed_room import seed_room
from rooms.caller import web_caller
from rooms.models import Event, Room
from rooms.requests import Command
from tests import given
from tests.fakes.clock import FakeClock
from turns import commands
from turns.actions.claim_turn import ClaimedTurn, claim_turn
from turns.actions.deliver_turn import mark_prompt_invoked, mark_started, save_partial_text
from turns.actions.finish_turn import finish_turn
from turns.actions.recover_turns import recover_turns, take_lane
from turns.actions.release_turn import release_turn
from turns.measures import ENDS
from turns.models import Turn, TurnAttempt
from turns.requests import SendMessage
from turns.settlement import TurnOutcome
from turns.state import TERMINAL, WITH_A_LANE, DispatchPhase, TurnStatus

AGENTS = ("builder", "reviewer")
LIMITS = Limits(queue_per_agent=4)
REFUSALS = {ErrorCode.STORE_CONFLICT, ErrorCode.DUPLICATE_DISPATCH, ErrorCode.QUEUE_CAPACITY_REACHED}
"""What any of these commands may be answered with; anything else is a fault."""

agents = st.sampled_from(AGENTS)
endings = st.sampled_from(["completed", "failed", "cancelled", "interrupted"]).map(TurnStatus)


class Worker:
    """One lane's process: what it holds in memory dies with it."""

    def __init__(self, name: str, token: str, clock: FakeClock) -> None:
        self.name, self.token = name, token
        self.session: BoundSession = given.a_session(name, f"native-{token}", clock=clock)
        self.turn: ClaimedTurn | None = None


class TurnMachine(RuleBasedStateMachine):
    turns = Bundle("turns")
    config: GroupXConfig

    def __init__(self) -> None:
        super().__init__()
        self.clock = FakeClock()
        self.sent: Counter[str] = Counter()
        """Attempts whose prompt has left, by turn."""
        self.receipts: dict[str, tuple[str, object]] = {}
        self.tokens = 0
        self.workers: dict[str, Worker] = {}
        self.replaced: list[Worker] = []
        self._room = transaction.atomic()
        self._room._from_testcase = True  # actions open outermost transactions: here inside one that is taken back
        self._room.__enter__()
        seed_room(self.config, clock=self.clock)
        for name in AGENTS:
            self._take_over(name)

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self._room.__exit__(None, None, None)

    # ------------------------------------------------------------ what people do
    @rule(target=turns, names=st.lists(agents, min_size=1, max_size=2, unique=True))
    def a_message(self, names: list[str]) -> object:
        command = given.a_message(*names)
        receipt = self._try(commands.send_message, command, caller=web_caller(), limits=LIMITS, clock=self.clock)
        if receipt is None:
            return multiple()
        self.receipts[command.client_command_id] = (receipt.text, command)
        return multiple(*(turn["turnId"] for turn in receipt.result["turns"]))

    @rule(turn_id=turns)
    def a_cancel(self, turn_id: str) -> None:
        command = Command(client_command_id=given.command_id())
        before = self._turn(turn_id).status
        receipt = commands.cancel(turn_id, command, caller=web_caller(), clock=self.clock)
        assert receipt.result["accepted"] is (TurnStatus(before) not in TERMINAL)

    @rule(target=turns, turn_id=turns)
    def a_retry(self, turn_id: str) -> object:
        command = Command(client_command_id=given.command_id())
        before = self._turn(turn_id)
        may_be_tried_again = TurnStatus(before.status).is_retryable and not before.retries.exists()
        receipt = self._try(commands.retry, turn_id, command, caller=web_caller(), limits=LIMITS, clock=self.clock)
        assert receipt is None or may_be_tried_again
        return multiple() if receipt is None else receipt.result["turnId"]

    @rule(data=st.data())
    def a_repeated_message(self, data: st.DataObject) -> None:
        if not self.receipts:
            return
        command_id = data.draw(st.sampled_from(sorted(self.receipts)))
        text, command = self.receipts[command_id]
        assert isinstance(command, SendMessage)
        again = commands.send_message(command, caller=web_caller(), limits=LIMITS, clock=self.clock)
        assert again.text == text

    # ------------------------------------------------------------ what lanes do
    @precondition(lambda self: self._busy() + self._waiting())
    @rule(data=st.data(), status=endings, steps=st.integers(1, 4))
    def work(self, data: st.DataObject, status: TurnStatus, steps: int) -> None:
        """The next steps of a lane: claim, send, see it start, finish."""
        worker = data.draw(st.sampled_from(self._busy() + self._waiting()))
        for _ in range(steps):
            if worker.turn is None:
                self._claim(worker)
            elif (phase := self._phase(worker)) is DispatchPhase.NATIVE_STARTED:
                assert self._finish(worker, status)
            elif phase is DispatchPhase.PROMPT_INVOKED:
                assert self._start(worker)
            elif not self._send(worker):  # it is being cancelled
                assert self._finish(worker, TurnStatus.CANCELLED)

    @precondition(lambda self: self._busy())
    @rule(data=st.data(), status=endings)
    def take_any_step(self, data: st.DataObject, status: TurnStatus) -> None:
        """Also one that is not due: it is taken whole or refused."""
        worker = data.draw(st.sampled_from(self._busy()))
        was_sent = self._phase(worker) is not DispatchPhase.PREPARED
        match data.draw(st.sampled_from(["send", "start", "save", "put back", "finish"])):
            case "send":
                assert not (self._send(worker) and was_sent), "a prompt is sent once"
            case "start":
                assert self._start(worker) is False or was_sent
            case "save":
                self._save(worker)
            case "put back":
                assert not (self._put_back(worker) and was_sent), "what may have been sent is never put back"
            case "finish":
                self._finish(worker, status)

    # ------------------------------------------------------------ what goes wrong
    @precondition(lambda self: self._busy())
    @rule(data=st.data())
    def a_worker_dies_and_another_takes_over(self, data: st.DataObject) -> None:
        worker = data.draw(st.sampled_from(self._busy()))
        self.replaced.append(worker)
        self._take_over(worker.name)

    @precondition(lambda self: self.replaced)
    @rule(data=st.data(), status=endings)
    def a_replaced_worker_changes_nothing(self, data: st.DataObject, status: TurnStatus) -> None:
        ghost = data.draw(st.sampled_from(self.replaced))
        before = self._everything()
        for step in (self._save, self._send, self._start, self._put_back):
            assert not step(ghost)
        assert not self._finish(ghost, status)
        assert self._everything() == before

    # ------------------------------------------------------------ what always holds
    @invariant()
    def seqs_are_1_2_3_without_a_hole(self) -> None:
        seqs = list(Event.objects.order_by("seq").values_list("seq", flat=True))
        assert seqs == list(range(1, len(seqs) + 1))
        assert Room.objects.get().last_seq == len(seqs)

    @invariant()
    def an_agent_works_on_one_turn(self) -> None:
        for name in AGENTS:
            working = Turn.objects.filter(target_id=f"agent:{name}", status__in=[s.value for s in WITH_A_LANE])
            assert working.count() <= 1

    @invariant()
    def a_turn_has_one_terminal_event_exactly_when_it_has_ended(self) -> None:
        ends = list(Event.objects.filter(type__in=ENDS).values_list("body__turnId", "type"))
        ended = [(t.turn_id, f"turn.{t.status}") for t in Turn.objects.exclude(ended_at=None)]
        assert sorted(ends) == sorted(ended)

    @invariant()
    def no_prompt_is_sent_twice(self) -> None:
        assert all(count <= 1 for count in self.sent.values())

    @invariant()
    def only_a_working_turn_has_an_open_attempt(self) -> None:
        open_attempts = TurnAttempt.objects.exclude(dispatch_phase=DispatchPhase.TERMINAL.value)
        of = sorted(open_attempts.values_list("turn_id", flat=True))
        working = Turn.objects.filter(status__in=[s.value for s in WITH_A_LANE])
        assert of == sorted(working.values_list("turn_id", flat=True))

    # ------------------------------------------------------------ in detail
    def _take_over(self, name: str) -> None:
        self.tokens += 1
        worker = Worker(name, f"worker-{self.tokens}", self.clock)
        take_lane(f"agent:{name}", worker.token, 1, clock=self.clock)
        recover_turns(given.agent(name), clock=self.clock)
        self.workers[name] = worker
        left = Turn.objects.filter(target_id=f"agent:{name}", status__in=[s.value for s in WITH_A_LANE])
        assert not left.exists(), "a lane settles what its predecessor left"

    def _waiting(self) -> list[Worker]:
        """Idle workers with a turn to claim."""
        queued = set(Turn.objects.filter(status=TurnStatus.QUEUED.value).values_list("target_id", flat=True))
        return [w for w in self.workers.values() if w.turn is None and f"agent:{w.name}" in queued]

    def _busy(self) -> list[Worker]:
        return [worker for worker in self.workers.values() if worker.turn]

    def _claim(self, worker: Worker) -> None:
        actor_id = f"agent:{worker.name}"
        waiting = Turn.objects.filter(target_id=actor_id, status=TurnStatus.QUEUED.value).order_by("enqueue_seq")
        first = waiting.values_list("turn_id", flat=True).first()
        worker.turn = claim_turn(actor_id, worker.token, clock=self.clock)
        claimed = worker.turn.turn_id if worker.turn else None
        assert claimed == first, "the oldest waiting turn is next"

    def _attempt_of(self, worker: Worker) -> str:
        assert worker.turn is not None
        return worker.turn.attempt_id

    def _phase(self, worker: Worker) -> DispatchPhase:
        return DispatchPhase(TurnAttempt.objects.get(attempt_id=self._attempt_of(worker)).dispatch_phase)

    def _send(self, worker: Worker) -> bool:
        assert worker.turn is not None
        is_marked = self._does(
            mark_prompt_invoked,
            worker.turn.attempt_id,
            worker.token,
            binding_id=worker.session.binding_id,
            instance_id=worker.session.instance_id,
            packet=given.PACKET,
            clock=self.clock,
        )
        self.sent[worker.turn.turn_id] += is_marked
        return is_marked

    def _start(self, worker: Worker) -> bool:
        agent, attempt_id = given.agent(worker.name), self._attempt_of(worker)
        return self._does(mark_started, attempt_id, worker.token, agent, native_turn_id=None, clock=self.clock)

    def _save(self, worker: Worker) -> bool:
        return self._does(save_partial_text, self._attempt_of(worker), worker.token, "half a sen")

    def _put_back(self, worker: Worker) -> bool:
        is_released = self._does(release_turn, self._attempt_of(worker), worker.token, clock=self.clock)
        if is_released:
            worker.turn = None
        return is_released

    def _finish(self, worker: Worker, status: TurnStatus) -> bool:
        code = None if status is TurnStatus.COMPLETED else ErrorCode.NATIVE_ERROR
        outcome = TurnOutcome(status=status, text="so far", error_code=code, message="It ended." if code else "")
        agent, attempt_id = given.agent(worker.name), self._attempt_of(worker)
        is_finished = self._does(
            finish_turn, attempt_id, worker.token, agent, outcome, days=given.UTC_DAYS, clock=self.clock
        )
        if is_finished:
            worker.turn = None
        return is_finished

    def _try[R](self, step: Callable[..., R], *args: object, **kwargs: object) -> R | None:
        """What the step gives; None when it is refused in a way it may be."""
        try:
            return step(*args, **kwargs)
        except GroupXError as error:
            assert error.code in REFUSALS, error
            return None

    def _does(self, step: Callable[..., object], *args: object, **kwargs: object) -> bool:
        """Whether the step was taken."""
        return self._try(lambda: (step(*args, **kwargs),)) is not None

    def _turn(self, turn_id: str) -> Turn:
        return Turn.objects.get(turn_id=turn_id)

    def _everything(self) -> object:
        return (
            Room.objects.get().last_seq,
            list(Turn.objects.order_by("turn_id").values_list("turn_id", "status", "ended_at")),
            list(TurnAttempt.objects.order_by("pk").values_list("attempt_id", "dispatch_phase", "partial_text")),
        )


def test_whatever_happens_in_whatever_order_the_room_keeps_its_promises(db: None, config: GroupXConfig):
    machine = type("Turns", (TurnMachine,), {"config": config})
    some = settings(max_examples=settings().max_examples // 2, stateful_step_count=40)
    run_state_machine_as_test(machine, settings=some)

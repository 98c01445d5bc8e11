"""The life of turns in any order (docs/turns.md): messages, lanes that claim, send, start and finish, cancels, retries,
workers that die at any step and others that take over, on a real database. After every step the room keeps what it
promises. Our contract."""

import hypothesis.strategies as st
from django.db import transaction
from hypothesis import settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule, run_state_machine_as_test

from groupx.kernel.config import GroupXConfig, Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.actions.bind_session import BoundSession
from rooms.actions.seed_room import seed_room
from rooms.caller import web_caller
from rooms.models import Event, Room
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
from turns.requests import Command, SendMessage
from turns.settlement import TurnOutcome
from turns.state import TERMINAL, WITH_A_LANE, DispatchPhase, TurnStatus

AGENTS = ("builder", "reviewer")
LIMITS = Limits(queue_per_agent=4)
REFUSALS = {ErrorCode.STORE_CONFLICT, ErrorCode.DUPLICATE_DISPATCH, ErrorCode.QUEUE_CAPACITY_REACHED}
"""What any of these commands may be answered with; anything else is a fault."""

agents = st.sampled_from(AGENTS)
endings = st.sampled_from(sorted(TERMINAL))


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
        self.sent: dict[str, int] = {}
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
    @rule(name=agents)
    def claim(self, name: str) -> None:
        worker = self.workers[name]
        if worker.turn is None:
            waiting = Turn.objects.filter(target_id=f"agent:{name}", status=TurnStatus.QUEUED.value)
            first = waiting.order_by("enqueue_seq").values_list("turn_id", flat=True).first()
            worker.turn = claim_turn(f"agent:{name}", worker.token, clock=self.clock)
            assert (worker.turn and worker.turn.turn_id) == first, "the oldest waiting turn is next"

    @rule(name=agents)
    def send_the_prompt(self, name: str) -> None:
        self._send(self.workers[name])

    @rule(name=agents)
    def see_it_start(self, name: str) -> None:
        worker = self.workers[name]
        if worker.turn:
            agent, turn = given.agent(name), worker.turn
            self._try(mark_started, turn.attempt_id, worker.token, agent, native_turn_id=None, clock=self.clock)

    @rule(name=agents)
    def save_what_it_said(self, name: str) -> None:
        worker = self.workers[name]
        if worker.turn:
            save_partial_text(worker.turn.attempt_id, worker.token, "half a sen")

    @rule(name=agents)
    def put_it_back(self, name: str) -> None:
        worker = self.workers[name]
        if worker.turn:
            sent = self._phase(worker.turn) is not DispatchPhase.PREPARED
            is_released = self._does(release_turn, worker.turn.attempt_id, worker.token, clock=self.clock)
            assert not (is_released and sent), "what may have been sent is never put back"
            if is_released:
                worker.turn = None

    @rule(name=agents, status=endings)
    def finish(self, name: str, status: TurnStatus) -> None:
        worker = self.workers[name]
        if worker.turn and self._does(self._finish, worker, status):
            worker.turn = None

    # ------------------------------------------------------------ what goes wrong
    @rule(name=agents)
    def the_worker_dies_and_another_takes_over(self, name: str) -> None:
        self.replaced.append(self.workers[name])
        self._take_over(name)

    @rule(data=st.data(), status=endings)
    def a_replaced_worker_changes_nothing(self, data: st.DataObject, status: TurnStatus) -> None:
        ghosts = [worker for worker in self.replaced if worker.turn]
        if not ghosts:
            return
        ghost = data.draw(st.sampled_from(ghosts))
        assert ghost.turn is not None
        before = self._everything()
        self._send(ghost)
        save_partial_text(ghost.turn.attempt_id, ghost.token, "from beyond")
        for step in (release_turn, mark_started):
            more = (given.agent(ghost.name),) if step is mark_started else ()
            kwargs = {"native_turn_id": None} if step is mark_started else {}
            assert not self._does(step, ghost.turn.attempt_id, ghost.token, *more, **kwargs, clock=self.clock)
        assert not self._does(self._finish, ghost, status)
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
        assert all(count == 1 for count in self.sent.values())

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

    def _send(self, worker: Worker) -> None:
        if worker.turn is None:
            return
        is_marked = self._does(
            mark_prompt_invoked,
            worker.turn.attempt_id,
            worker.token,
            binding_id=worker.session.binding_id,
            instance_id=worker.session.instance_id,
            packet_text="the packet",
            omissions={},
            context_after_seq=0,
            clock=self.clock,
        )
        if is_marked:
            self.sent[worker.turn.turn_id] = self.sent.get(worker.turn.turn_id, 0) + 1

    def _finish(self, worker: Worker, status: TurnStatus) -> None:
        assert worker.turn is not None
        code = None if status is TurnStatus.COMPLETED else ErrorCode.NATIVE_ERROR
        outcome = TurnOutcome(status=status, text="so far", error_code=code, message="It ended." if code else "")
        agent = given.agent(worker.name)
        finish_turn(worker.turn.attempt_id, worker.token, agent, outcome, clock=self.clock)

    def _try(self, step, *args, **kwargs):  # type: ignore[no-untyped-def]
        """What the step gives; None when it is refused in a way it may be."""
        try:
            return step(*args, **kwargs)
        except GroupXError as error:
            assert error.code in REFUSALS, error
            return None

    def _does(self, step, *args, **kwargs) -> bool:  # type: ignore[no-untyped-def]
        """Whether the step was taken."""
        try:
            step(*args, **kwargs)
        except GroupXError as error:
            assert error.code in REFUSALS, error
            return False
        return True

    def _turn(self, turn_id: str) -> Turn:
        return Turn.objects.get(turn_id=turn_id)

    def _phase(self, turn: ClaimedTurn) -> DispatchPhase:
        return DispatchPhase(TurnAttempt.objects.get(attempt_id=turn.attempt_id).dispatch_phase)

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

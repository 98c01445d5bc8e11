"""May an agent in its turn call others: the chain of turns behind it, and what that chain may cost. Pure.

The rules stand in docs/turns.md, "Chains and their limits".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from turns.member import CallersTurn
from turns.state import CommandType, TurnStatus


class ChainLimit(StrEnum):
    """What a person may raise for one chain, by its name in the configuration."""

    ROOT_TURNS = "rootTurns"
    HOP_COUNT = "hopCount"
    ACTOR_CALLS_PER_ROOT = "actorCallsPerRoot"

    def configured(self, limits: Limits) -> int:
        return {
            ChainLimit.ROOT_TURNS: limits.root_turns,
            ChainLimit.HOP_COUNT: limits.hop_count,
            ChainLimit.ACTOR_CALLS_PER_ROOT: limits.actor_calls_per_root,
        }[self]


@dataclass(frozen=True, kw_only=True)
class Link:
    """One turn of a chain."""

    turn_id: str
    actor_id: str
    root_correlation_id: str
    hop_count: int
    command_type: CommandType
    status: TurnStatus


@dataclass(frozen=True, kw_only=True)
class RootUse:
    """The turns of one root so far, and what a person allowed on top."""

    calls: Mapping[str, int]
    """Actor -> its turns, whoever called it; tries that a person asked for are not counted. Nobody else is in it."""
    grants: Mapping[ChainLimit, int]
    roster: Sequence[str]
    """Every agent that could be called."""

    @property
    def turns(self) -> int:
        return sum(self.calls.values())

    def maximum(self, limit: ChainLimit, limits: Limits) -> int:
        return limit.configured(limits) * (1 + self.grants.get(limit, 0))


class LimitReached(GroupXError):
    """A command that was refused whole because of a limit that a person may raise."""

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        limit: ChainLimit,
        maximum: int,
        grants: int,
        targets: Sequence[str],
        actor: str | None = None,
    ) -> None:
        super().__init__(code, message, limit=limit.value, maximum=maximum, **({"actor": actor} if actor else {}))
        self.limit = limit
        self.maximum = maximum
        self.grants = grants
        """How often a person had raised it by then."""
        self.targets = targets
        """Who would have been called."""


def check_chain(turn: CallersTurn, links: Sequence[Link]) -> None:
    """`links` go from the caller's own turn up to the one that a person started.

    Raises:
        GroupXError: STORE_CONFLICT for a chain that has a gap, leaves its root or counts its hops wrong.
    """
    is_own = bool(links) and links[0].turn_id == turn.turn_id
    counts_down = [link.hop_count for link in links] == list(range(turn.hop_count, -1, -1))
    stays_in_root = {link.root_correlation_id for link in links} == {turn.root_correlation_id}
    if not (is_own and counts_down and stays_in_root):
        raise GroupXError(ErrorCode.STORE_CONFLICT, "The chain of this turn is not whole in the room's database.")


def check_cycle(
    command_type: CommandType, targets: Sequence[str], links: Sequence[Link], observers: Mapping[str, str]
) -> None:
    """An `ask` may go to nobody who waits for this very turn; the caller itself would wait as well. `observers` have
    open watch turns: agent -> the turn that it watches, the caller's or one that waits for it.

    Raises:
        GroupXError: CAUSAL_CYCLE naming the targets that wait.
    """
    if command_type is not CommandType.ASK:
        return
    waiting = waiting_actors(links)
    if watching := [target for target in targets if target in observers]:
        observer, watched = watching[0], observers[watching[0]]
        raise GroupXError(
            ErrorCode.CAUSAL_CYCLE,
            f"{observer} watches this turn to its end and answers nothing before, so an answer could never come. "
            "End your turn first, or use send."
            if watched == links[0].turn_id
            else f"{observer} watches the turn {watched}, which waits for this one, to its end and answers nothing "
            "before, so an answer could never come. End your turn first, or use send.",
            targets=[target for target in targets if target in waiting or target in observers],
        )
    if cycle := [target for target in targets if target in waiting]:
        raise GroupXError(ErrorCode.CAUSAL_CYCLE, _cycle_words(cycle, caller=links[0].actor_id), targets=cycle)


def _cycle_words(cycle: Sequence[str], *, caller: str) -> str:
    others = [target for target in cycle if target != caller]
    if not others:
        return "You cannot ask yourself: your answer could come only after this turn, which would wait. Use send."
    if len(others) == 1:
        return f"{others[0]} already waits for this turn, so an answer could never come. Use send, or answer it."
    names = f"{', '.join(others[:-1])} and {others[-1]}"
    return f"{names} already wait for this turn, so their answers could never come. Use send, or answer them."


def waiting_actors(links: Sequence[Link]) -> set[str]:
    """The caller and all who wait for it."""
    return {link.actor_id for link in waiting_links(links)}


def waiting_links(links: Sequence[Link]) -> list[Link]:
    """The caller's turn, and the one that asked for it, and the one that asked for that, as long as all are open. A
    turn that was sent, or is another try of one that was asked for, is waited for by nobody."""
    waiting: list[Link] = []
    for link in links:
        if link.status.is_terminal:
            break
        waiting.append(link)
        if link.command_type is not CommandType.ASK:
            break
    return waiting


def check_limits(targets: Sequence[str], *, hop: int, use: RootUse, limits: Limits) -> None:
    """`hop` is that of the new turns, one for each of `targets`.

    Raises:
        LimitReached: HOP_LIMIT_REACHED, ROOT_TURN_LIMIT_REACHED.
    """
    deepest = use.maximum(ChainLimit.HOP_COUNT, limits)
    if hop > deepest:
        raise LimitReached(
            ErrorCode.HOP_LIMIT_REACHED,
            f"Agents have called each other {deepest} deep for one message; limits.hopCount allows no more.",
            limit=ChainLimit.HOP_COUNT,
            maximum=deepest,
            grants=use.grants.get(ChainLimit.HOP_COUNT, 0),
            targets=targets,
        )
    calls = use.maximum(ChainLimit.ACTOR_CALLS_PER_ROOT, limits)
    for target in targets:
        if use.calls.get(target, 0) >= calls:
            raise LimitReached(
                ErrorCode.ROOT_TURN_LIMIT_REACHED,
                f"{target} was called as often as limits.actorCallsPerRoot allows for one message: {calls}.",
                limit=ChainLimit.ACTOR_CALLS_PER_ROOT,
                maximum=calls,
                grants=use.grants.get(ChainLimit.ACTOR_CALLS_PER_ROOT, 0),
                targets=targets,
                actor=target,
            )
    _check_root(targets, use, limits)


KEPT_SHARE = 8
"""At most an eighth of a root's turns is kept back, however many agents there are."""


def _check_root(targets: Sequence[str], use: RootUse, limits: Limits) -> None:
    """One turn is kept back for each agent that was not called yet: no others can use a root up before its turn. Of
    what is kept such an agent may have any, where it does not suffice for all of them."""
    most = use.maximum(ChainLimit.ROOT_TURNS, limits)
    not_called = [actor for actor in use.roster if actor not in use.calls and actor not in targets]
    are_first_calls = not use.calls.keys() & set(targets)
    kept = 0 if are_first_calls else min(len(not_called), most // KEPT_SHARE)
    if use.turns + len(targets) + kept <= most:
        return
    if kept and use.turns + len(targets) <= most:
        message = (
            f"{use.turns} turns have come from one message; {kept} of the {most} that limits.rootTurns allows are kept "
            f"for agents that were not called yet."
        )
    else:
        message = (
            f"{use.turns} turns have come from one message and agents want {len(targets)} more; limits.rootTurns "
            f"allows {most}."
        )
    raise LimitReached(
        ErrorCode.ROOT_TURN_LIMIT_REACHED,
        message,
        limit=ChainLimit.ROOT_TURNS,
        maximum=most,
        grants=use.grants.get(ChainLimit.ROOT_TURNS, 0),
        targets=targets,
    )

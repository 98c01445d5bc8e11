"""The rules of chains (protocol sections 6.6 and 7; docs/turns.md, "Chains and their limits"). Our contract, pure."""

import pytest

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from turns.chain import (
    ChainLimit,
    LimitReached,
    Link,
    RootUse,
    check_chain,
    check_cycle,
    check_limits,
    waiting_actors,
)
from turns.member import CallersTurn
from turns.state import CommandType, TurnStatus

ROOT = "corr_root"
ROSTER = ("agent:a", "agent:b", "agent:c")


def chain(*steps: str, ended: str = "") -> list[Link]:
    """From the person's turn to the caller's, as in "a", "ask b", "send c"; `ended` names actors whose turn is over."""
    links = []
    for hop, step in enumerate(steps):
        command, _, actor = step.rpartition(" ")
        links.append(
            Link(
                turn_id=f"turn_{hop}",
                actor_id=f"agent:{actor}",
                root_correlation_id=ROOT,
                hop_count=hop,
                command_type=CommandType(f"mcp.{command}")
                if command in ("ask", "send")
                else CommandType(command or "message"),
                status=TurnStatus.COMPLETED if actor in ended else TurnStatus.RUNNING,
            )
        )
    return links[::-1]


def callers_turn(links: list[Link], **changes: object) -> CallersTurn:
    own = links[0]
    facts = {
        "turn_id": own.turn_id,
        "source_event_id": "evt_1",
        "correlation_id": ROOT,
        "root_correlation_id": ROOT,
        "hop_count": own.hop_count,
        "command_type": own.command_type,
    }
    return CallersTurn(**(facts | changes))


# ---------------------------------------------------------------- the chain itself
def test_a_chain_goes_up_to_the_turn_that_a_person_started():
    links = chain("a", "ask b", "send c")

    check_chain(callers_turn(links), links)


@pytest.mark.parametrize(
    "broken",
    [
        lambda links: [],
        lambda links: links[1:],
        lambda links: links[:-1],
        lambda links: [links[0], *links[2:]],
        lambda links: [links[0], Link(**{**vars_of(links[1]), "root_correlation_id": "corr_other"}), links[2]],
        lambda links: [links[0], Link(**{**vars_of(links[1]), "hop_count": 0}), links[2]],
    ],
    ids=["no turn", "another's turn", "no beginning", "a gap", "another root", "hops that do not count down"],
)
def test_a_chain_that_is_not_whole_starts_nothing(broken):
    links = chain("a", "ask b", "send c")

    with pytest.raises(GroupXError) as refused:
        check_chain(callers_turn(links), broken(links))

    assert refused.value.code is ErrorCode.STORE_CONFLICT


def vars_of(link: Link) -> dict[str, object]:
    return {name: getattr(link, name) for name in link.__dataclass_fields__}


# ---------------------------------------------------------------- who waits
@pytest.mark.parametrize(
    ("links", "waiting"),
    [
        (chain("a"), "a"),
        (chain("a", "ask b"), "a b"),
        (chain("a", "ask b", "ask c"), "a b c"),
        (chain("a", "send b"), "b"),
        (chain("a", "send b", "ask c"), "b c"),
        (chain("a", "ask b", "send c"), "c"),
        (chain("a", "retry b"), "b"),
        (chain("a", "ask b", "ask c", ended="a"), "b c"),
        (chain("a", "ask b", "ask c", ended="b"), "c"),
        (chain("a", ended="a"), ""),
    ],
    ids=[
        "itself", "asked", "asked twice over", "sent", "asked below what was sent", "sent below what was asked",
        "tried again", "who has ended waits no more", "who has ended passes nothing on", "a message that was kept",
    ],
)  # fmt: skip
def test_only_whoever_asked_for_this_turn_and_is_still_in_its_own_waits(links, waiting):
    assert waiting_actors(links) == {f"agent:{actor}" for actor in waiting.split()}


def test_an_ask_to_who_waits_is_a_cycle_and_names_it():
    with pytest.raises(GroupXError) as refused:
        check_cycle(CommandType.ASK, ["agent:c", "agent:a"], chain("a", "ask b"), {})

    assert refused.value.code is ErrorCode.CAUSAL_CYCLE
    assert refused.value.details["targets"] == ["agent:a"]


def test_an_ask_to_oneself_is_a_cycle():
    with pytest.raises(GroupXError) as refused:
        check_cycle(CommandType.ASK, ["agent:a"], chain("a"), {})

    assert refused.value.code is ErrorCode.CAUSAL_CYCLE


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ("c", "You cannot ask yourself:"),
        ("b", "agent:b already waits for this turn,"),
        ("b c", "agent:b already waits for this turn,"),
        ("a b", "agent:a and agent:b already wait for this turn,"),
    ],
    ids=["itself", "one", "one and itself", "two"],
)
def test_a_cycle_is_told_in_a_sentence_that_fits_who_waits(targets, words):
    with pytest.raises(GroupXError) as refused:
        check_cycle(CommandType.ASK, [f"agent:{name}" for name in targets.split()], chain("a", "ask b", "ask c"), {})

    assert refused.value.message.startswith(words)


@pytest.mark.parametrize(
    ("command", "target"),
    [(CommandType.SEND, "agent:a"), (CommandType.SEND, "agent:b"), (CommandType.ASK, "agent:c")],
    ids=["sent to an ancestor", "sent to oneself", "asked of another"],
)
def test_nothing_else_is_a_cycle(command, target):
    check_cycle(command, [target], chain("a", "ask b"), {})


# ---------------------------------------------------------------- limits
def use(calls: dict[str, int] | None = None, grants: dict[ChainLimit, int] | None = None, roster=ROSTER) -> RootUse:
    return RootUse(calls={f"agent:{name}": n for name, n in (calls or {}).items()}, grants=grants or {}, roster=roster)


def reached(targets: str, *, hop: int = 1, limits: Limits, use: RootUse) -> LimitReached:
    with pytest.raises(LimitReached) as refused:
        check_limits([f"agent:{name}" for name in targets.split()], hop=hop, use=use, limits=limits)
    return refused.value


def test_a_chain_may_be_as_deep_as_its_limit():
    limits = Limits(hop_count=2)
    check_limits(["agent:b"], hop=2, use=use(), limits=limits)

    refused = reached("b", hop=3, limits=limits, use=use())

    assert (refused.code, refused.limit, refused.maximum) == (ErrorCode.HOP_LIMIT_REACHED, ChainLimit.HOP_COUNT, 2)
    assert refused.details == {"limit": "hopCount", "maximum": 2}


def test_an_agent_may_be_called_as_often_as_its_limit_whoever_calls():
    limits = Limits(actor_calls_per_root=3)
    check_limits(["agent:b"], hop=1, use=use({"b": 2}), limits=limits)

    refused = reached("c b", limits=limits, use=use({"b": 3}))

    assert (refused.code, refused.limit) == (ErrorCode.ROOT_TURN_LIMIT_REACHED, ChainLimit.ACTOR_CALLS_PER_ROOT)
    assert refused.details == {"limit": "actorCallsPerRoot", "maximum": 3, "actor": "agent:b"}


def test_a_root_may_have_as_many_turns_as_its_limit_and_a_message_is_refused_whole():
    limits = Limits(root_turns=5)
    check_limits(["agent:a", "agent:b"], hop=1, use=use({"a": 1, "b": 1, "c": 1}), limits=limits)

    refused = reached("a b", limits=limits, use=use({"a": 2, "b": 1, "c": 1}))

    assert (refused.code, refused.limit, refused.maximum) == (
        ErrorCode.ROOT_TURN_LIMIT_REACHED,
        ChainLimit.ROOT_TURNS,
        5,
    )


@pytest.mark.parametrize("limit", list(ChainLimit))
def test_each_grant_allows_as_much_again_of_its_limit_and_of_no_other(limit):
    limits = Limits(root_turns=4, hop_count=4, actor_calls_per_root=4)
    granted = use({"a": 1}, {limit: 2})

    assert granted.maximum(limit, limits) == 12
    assert {granted.maximum(other, limits) for other in ChainLimit if other is not limit} == {4}


def test_a_pair_cannot_use_up_the_turn_of_a_third_agent():
    limits = Limits(root_turns=8, actor_calls_per_root=8)
    pair = use({"a": 4, "b": 3})

    refused = reached("a", limits=limits, use=pair)

    assert refused.limit is ChainLimit.ROOT_TURNS and "1 of the 8" in refused.message
    check_limits(["agent:c"], hop=1, use=pair, limits=limits)


def test_no_more_than_an_eighth_of_a_root_is_kept_for_others():
    crowd = tuple(f"agent:{n}" for n in range(30))
    limits = Limits(root_turns=16, actor_calls_per_root=16)

    check_limits(["agent:0"], hop=1, use=use({"0": 13}, roster=crowd), limits=limits)

    assert "2 of the 16" in reached("0", limits=limits, use=use({"0": 14}, roster=crowd)).message


def test_what_is_kept_is_there_for_whoever_was_not_called_yet_however_many_they_are():
    crowd = tuple(f"agent:{n}" for n in range(30))
    limits = Limits(root_turns=8, actor_calls_per_root=8)

    check_limits(["agent:1"], hop=1, use=use({"0": 6}, roster=crowd), limits=limits)
    check_limits(["agent:2"], hop=1, use=use({"0": 6, "1": 1}, roster=crowd), limits=limits)

    assert "allows 8" in reached("3", limits=limits, use=use({"0": 6, "1": 1, "2": 1}, roster=crowd)).message


def test_with_its_defaults_two_agents_leave_a_third_all_of_its_calls():
    limits = Limits()
    pair = use({"a": 16, "b": 16})

    assert reached("a", limits=limits, use=pair).limit is ChainLimit.ACTOR_CALLS_PER_ROOT
    check_limits(["agent:c"], hop=1, use=use({"a": 16, "b": 16, "c": 15}), limits=limits)

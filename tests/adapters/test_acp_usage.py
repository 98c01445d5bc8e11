"""What a turn has used, whatever an agent's own way of counting is (adapters/acp/usage.py). Pure."""

import pytest

from adapters.acp.updates import UsageUpdate
from adapters.acp.usage import SessionUsage, read_tokens
from adapters.contract import UsageReported


def tokens(**told: int) -> UsageReported:
    return UsageReported(**{f"{kind}_tokens": count for kind, count in told.items()})


@pytest.mark.parametrize(
    ("told", "read"),
    [
        (
            {"inputTokens": 100, "cachedReadTokens": 80, "outputTokens": 20, "thoughtTokens": 5, "totalTokens": 120},
            tokens(input=100, cached=80, output=20, reasoning=5, total=120),
        ),
        (
            {
                "inputTokens": 10,
                "cachedReadTokens": 80,
                "cachedWriteTokens": 10,
                "outputTokens": 15,
                "thoughtTokens": 5,
                "totalTokens": 120,
            },
            tokens(input=100, cached=80, output=20, reasoning=5, total=120),
        ),
        (
            {"inputTokens": 20, "cachedReadTokens": 80, "outputTokens": 20, "reasoningTokens": 5, "totalTokens": 120},
            tokens(input=100, cached=80, output=20, reasoning=5, total=120),
        ),
        (
            {"input_tokens": 100, "output_tokens": 15, "reasoning_tokens": 5, "total_tokens": 120},
            tokens(input=100, output=20, reasoning=5, total=120),
        ),
        ({"inputTokens": 3, "outputTokens": 4, "totalTokens": 99}, tokens(input=3, output=4, total=99)),
        ({"input_tokens": 22, "output_tokens": 14}, tokens(input=22, output=14)),
        ({"inputTokens": 0, "outputTokens": 0, "totalTokens": 0, "cachedReadTokens": 0}, None),
        ({}, None),
    ],
    ids=["in them", "beside both", "beside the input", "beside the output", "no sum", "no total", "zero", "nothing"],
)
def test_cached_tokens_are_a_part_of_the_input_and_reasoning_of_the_output(told: dict, read: UsageReported | None):
    assert read_tokens(told) == read


def cost(amount: float) -> UsageUpdate:
    return UsageUpdate(used=None, size=None, cost_usd=amount)


def test_several_sums_within_a_turn_tell_what_it_has_cost_so_far():
    usage = SessionUsage(is_fresh=True)
    usage.begin_turn()
    assert [usage.of_update(cost(amount)).cost_usd for amount in (0.25, 0.75)] == [0.25, 0.75]
    usage.begin_turn()
    assert usage.of_update(cost(1.0)).cost_usd == 0.25


def test_the_cost_of_a_resumed_sessions_first_turn_is_unknown():
    usage = SessionUsage(is_fresh=False)
    usage.begin_turn()
    assert [usage.of_update(cost(amount)).cost_usd for amount in (5.0, 5.5)] == [None, None]
    usage.begin_turn()
    assert usage.of_update(cost(6.0)).cost_usd == 0.5


def test_sums_of_tokens_are_split_and_a_turn_that_was_not_counted_is_unknown():
    usage = SessionUsage(is_fresh=True)
    assert usage.of_reply(tokens(input=10, output=5, total=15)) == tokens(input=10, output=5, total=15)
    assert usage.of_reply(tokens(input=10, output=5, total=15)) is None
    assert usage.of_reply(tokens(input=25, output=6, total=31)) == tokens(input=15, output=1, total=16)
    assert usage.of_reply(None) is None

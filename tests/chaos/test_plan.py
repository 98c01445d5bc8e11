"""A failure of the chaos rounds can be replayed: the seed alone decides (tests/chaos/plan.py). Our contract."""

from itertools import islice

from tests.chaos.plan import Kind, rounds


def test_a_seed_always_gives_the_same_rounds_however_many_are_run():
    assert list(islice(rounds(7), 120)) == list(islice(rounds(7), 200))[:120]
    assert list(islice(rounds(7), 20)) != list(islice(rounds(8), 20))


def test_few_rounds_show_many_kinds_and_two_hundred_show_each_several_times():
    assert len({blow.kind for blow in islice(rounds(7), len(Kind))}) == len(Kind)
    many = [blow.kind for blow in islice(rounds(7), 200)]
    assert all(many.count(kind) >= 2 for kind in Kind)


def test_one_kind_alone_keeps_everything_else_of_the_rounds():
    both = zip(rounds(7), rounds(7, Kind.KILL_LANE), range(30), strict=False)
    assert all(
        (a.number, a.moment, a.pick) == (b.number, b.moment, b.pick) and b.kind == "kill-lane" for a, b, _ in both
    )

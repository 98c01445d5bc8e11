"""How figures are made of what was measured, judged by aims, and shown (docs/performance.md). Our contract."""

import pytest

from tests.bench.figures import Aim, Row, Sample, exit_code, lost, percentile, row
from tests.bench.table import comparison, line, shown


@pytest.mark.parametrize(
    ("values", "percent", "figure"),
    [([], 50, None), ([7.0], 95, 7.0), ([1.0, 3.0], 50, 2.0), ([4.0, 1.0, 3.0, 2.0, 5.0], 95, pytest.approx(4.8))],
)
def test_a_percentile_lies_between_its_neighbours(values, percent, figure):
    assert percentile(values, percent) == figure


def test_a_row_sets_work_beside_its_yardstick():
    work = Sample(took_ms=[4.0, 6.0], seconds=0.5, cpu_seconds=1.0)
    bare = Sample(took_ms=[2.0, 2.0], seconds=0.1, cpu_seconds=0.4)
    made = row("accept", work, bare)
    assert (made.p50, made.per_second, made.cpu_ms, made.ratio) == (5.0, 4.0, 500.0, 2.5)
    assert made.cpu_ratio == pytest.approx(2.5)


def test_cpu_time_of_too_few_hundredths_is_no_figure():
    assert Sample(took_ms=[1.0], cpu_seconds=0.09).cpu_ms is None
    assert Sample(took_ms=[1.0], cpu_seconds=0.10).cpu_ms_of(10) == pytest.approx(10.0)


def test_an_aim_is_missed_above_its_bound_below_its_floor_and_without_a_figure():
    made = Row(name="replay", p50=10.0, per_second=100.0)
    assert Aim(figure="p50", at_most=10.0).is_met_by(made)
    assert not Aim(figure="p50", at_most=9.9).is_met_by(made)
    assert not Aim(figure="per_second", at_least=101.0).is_met_by(made)
    assert not Aim(figure="p95", at_most=1000.0).is_met_by(made)


def test_a_line_marks_what_is_over_its_aim_and_what_is_broken():
    made = Row(name="visible", p50=9.0, aims=(Aim(figure="p50", at_most=5.0),), faults=lost(2, 60, "sightings"))
    assert "OVER p50 ≤ 5" in line(made)
    assert "BROKEN: 2 of 60 sightings missing" in line(made)
    assert lost(0, 60, "sightings") == ()


def test_a_missed_aim_ends_with_1_only_when_asked_and_a_broken_promise_always_does():
    fine, broken = Row(name="accept", p50=1.0), Row(name="visible", p50=1.0, faults=lost(1, 2, "sightings"))
    over = Row(name="prompt", p50=9.0, aims=(Aim(figure="p50", at_most=5.0),))
    assert [exit_code([fine, row], is_strict=False) for row in (fine, over, broken)] == [0, 0, 1]
    assert [exit_code([fine, row], is_strict=True) for row in (fine, over, broken)] == [0, 1, 1]


def test_figures_are_shown_with_the_digits_that_mean_something():
    assert [shown(figure) for figure in (None, 0.0123, 0.123, 12.34, 123.4, 12345.6)] == [
        "–",
        "0.012",
        "0.12",
        "12.3",
        "123",
        "12,346",
    ]


def test_a_comparison_divides_by_the_earlier_run_and_leaves_out_what_that_had_not():
    before = [Row(name="accept", p50=10.0, cpu_ms=4.0).wire()]
    compared = comparison(before, [Row(name="accept", p50=5.0, cpu_ms=3.0), Row(name="new", p50=1.0)])
    assert [words.split()[1:3] for words in compared[1:]] == [["0.50", "–"]]
    assert "0.75" in compared[1]

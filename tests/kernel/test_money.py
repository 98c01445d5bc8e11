"""Sums of money as people read them."""

import pytest

from groupx.kernel.money import dollars


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (0, "$0.00"),
        (0.00013, "$0.00013"),
        (0.0001, "$0.0001"),
        (1e-12, "$0.00"),
        (0.0125, "$0.0125"),
        (0.3 * 3 - 0.6, "$0.30"),
        (0.5, "$0.50"),
        (3.2, "$3.20"),
        (1234.5, "$1,234.50"),
    ],
)
def test_money_has_as_many_digits_as_say_something(usd: float, shown: str) -> None:
    assert dollars(usd) == shown

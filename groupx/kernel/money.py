"""Sums of US dollars as people read them. Pure."""

from math import floor, log10

CENTS, MOST_DIGITS = 2, 9


def dollars(usd: float) -> str:
    """`$12.30`; what is less than a dollar and no whole cents with as many digits as say something: `$0.0042`."""
    if usd >= 1 or usd < 10**-MOST_DIGITS or abs(round(usd, CENTS) - usd) < 10**-MOST_DIGITS:
        return f"${usd:,.{CENTS}f}"
    digits = min(MOST_DIGITS, max(4, 1 - floor(log10(usd))))
    return f"${usd:.{digits}f}".rstrip("0")

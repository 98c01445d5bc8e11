"""What one turn has used, as its agent told it: reports folded into one, and made fit to be stored. Pure."""

import math
from collections.abc import Mapping

from adapters.contract import UsageReported
from rooms.bodies import UsageTold

MOST = 1_000_000_000_000
"""Of tokens or dollars in one turn. More is a slip, and the sums of many turns must fit into a database's number."""


def sound_figures(report: UsageReported) -> Mapping[str, float]:
    """What is known and possible. A driver's slip (a negative number, an infinite cost) is unknown: no turn fails to
    end for its figures."""
    return {
        name: value
        for name, value in vars(report).items()
        if value is not None and math.isfinite(value) and 0 <= value <= MOST
    }


def usage_told(figures: Mapping[str, float]) -> UsageTold | None:
    """None where nothing was told. Where only input and output are known, the total is their sum."""
    if not figures:
        return None
    told = UsageTold.model_validate(figures)
    if told.total_tokens is None and told.input_tokens is not None and told.output_tokens is not None:
        return told.model_copy(update={"total_tokens": told.input_tokens + told.output_tokens})
    return told

"""What an agent is able to, and how that is known, in words for its card (edge)."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from adapters.contract import Evidence
from turns.capability_words import CAPABILITY_WORDS, EVIDENCE_WORDS
from turns.queries.capabilities import CliView


@dataclass(frozen=True, kw_only=True)
class ShownCapability:
    word: Promise
    evidence: Evidence
    evidence_word: Promise
    seen_at: datetime


@dataclass(frozen=True, kw_only=True)
class ShownCapabilities:
    """What the template `rooms/agent_capabilities.html` may use, as `shown`."""

    version: str
    """Of the CLI; empty where it does not tell it."""
    verified: int
    able: int
    """Those that are not known to be missing."""
    rows: tuple[ShownCapability, ...]


def shown_capabilities(cli: CliView) -> ShownCapabilities | None:
    """None while nothing is known."""
    rows = tuple(
        ShownCapability(
            word=gettext_lazy(CAPABILITY_WORDS[capability]),
            evidence=seen.evidence,
            evidence_word=gettext_lazy(EVIDENCE_WORDS[seen.evidence]),
            seen_at=seen.seen_at,
        )
        for capability, seen in cli.capabilities.items()
    )
    if not rows:
        return None
    return ShownCapabilities(
        version=cli.version,
        verified=sum(row.evidence is Evidence.VERIFIED for row in rows),
        able=sum(row.evidence is not Evidence.UNSUPPORTED for row in rows),
        rows=rows,
    )

"""What agents were seen to be able to, by their lanes' CLIs."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet

from adapters.contract import Capability, Evidence
from groupx.kernel.clock import iso
from rooms.prepared import PreparedSelect
from turns.answers import CapabilityKnown, Cli
from turns.models import Lane


@dataclass(frozen=True, kw_only=True)
class Seen:
    evidence: Evidence
    seen_at: datetime


@dataclass(frozen=True, kw_only=True)
class CliView:
    """`capabilities` in the order of their list; what is not known is not in it."""

    program: str = ""
    version: str = ""
    capabilities: Mapping[Capability, Seen] = field(default_factory=dict)

    def wire(self) -> Cli | None:
        if not (self.program or self.version):
            return None
        return {"name": self.program, "version": self.version}

    def wire_capabilities(self) -> dict[Capability, CapabilityKnown]:
        return {
            capability: {"evidence": seen.evidence, "seenAt": iso(seen.seen_at)}
            for capability, seen in self.capabilities.items()
        }


UNKNOWN_CLI = CliView()


def _rows(lanes: QuerySet[Lane]) -> QuerySet[Lane, Any]:
    """Of lanes that last worked with the driver their agent has now."""
    return (
        lanes.filter(cli__driver=F("actor__driver"))
        .order_by()
        .values_list(
            "actor_id",
            "cli__program",
            "cli__version",
            "cli__capabilities__capability",
            "cli__capabilities__evidence",
            "cli__capabilities__seen_at",
        )
    )


_OF_ALL = PreparedSelect(lambda: _rows(Lane.objects.all()))
_OF_ONE = PreparedSelect(lambda actor_id: _rows(Lane.objects.filter(actor_id=actor_id)))


def clis_of_lanes() -> dict[str, CliView]:
    """One query whatever the room holds; a lane that has never opened a session is not in it."""
    return _views(_OF_ALL.fetch_all())


def cli_of_lane(actor_id: str) -> CliView:
    return _views(_OF_ONE.fetch_all(actor_id)).get(actor_id, UNKNOWN_CLI)


def _views(rows: Iterable[tuple[Any, ...]]) -> dict[str, CliView]:
    clis: dict[str, tuple[str, str]] = {}
    seen: dict[str, dict[str, Seen]] = defaultdict(dict)
    for actor_id, program, version, capability, evidence, seen_at in rows:
        clis[actor_id] = program, version
        if capability is not None:
            seen[actor_id][capability] = Seen(evidence=Evidence(evidence), seen_at=seen_at)
    return {
        actor_id: CliView(
            program=program,
            version=version,
            capabilities={what: seen[actor_id][what] for what in Capability if what in seen[actor_id]},
        )
        for actor_id, (program, version) in clis.items()
    }

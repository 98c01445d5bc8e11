"""What is known of a CLI changes: with a session that opens, with a turn that shows more, with a call of its own."""

from collections.abc import Mapping
from dataclasses import dataclass

from adapters.contract import Capability, Evidence
from groupx.kernel.clock import Clock
from groupx.kernel.ids import handle_hash
from rooms.models import SessionBinding
from rooms.transactions import durable, joins
from turns.actions.lane_status import announce_card
from turns.evidence import Known, Source, news
from turns.models import CapabilityEvidence, CliVersion, Lane


@dataclass(frozen=True, kw_only=True)
class CliFacts:
    """Which version of which CLI, as it is started (see CliVersion)."""

    driver: str
    program: str
    launch: str
    version: str


@dataclass(frozen=True, kw_only=True)
class NewEvidence:
    """What a turn has shown of a CLI, as far as it was not known."""

    cli_id: int
    seen: Mapping[Capability, Evidence]


@dataclass(kw_only=True)
class KnownCli:
    """A lane's CLI, and what the lane knows of it: a turn without news writes nothing."""

    cli_id: int
    known: dict[Capability, Known]

    def news(self, seen: Mapping[Capability, Evidence]) -> NewEvidence | None:
        fresh = news(seen, Source.TURN, self.known)
        return NewEvidence(cli_id=self.cli_id, seen=fresh) if fresh else None

    def learnt(self, new: NewEvidence | None) -> None:
        """It has been kept."""
        for capability, evidence in new.seen.items() if new is not None else ():
            self.known[capability] = Known(evidence=evidence, source=Source.TURN)


@durable
def meet_cli(facts: CliFacts, told: Mapping[Capability, Evidence], *, clock: Clock) -> KnownCli:
    """A session has opened: find this version, or begin anew with what it tells."""
    return _meet(facts, told, clock)


@durable
def note_check(
    actor_id: str,
    facts: CliFacts,
    told: Mapping[Capability, Evidence],
    seen: Mapping[Capability, Evidence],
    *,
    clock: Clock,
) -> None:
    """A turn that the doctor ran while no lane of this agent lives."""
    cli = _meet(facts, told, clock)
    Lane.objects.filter(actor_id=actor_id).update(cli=cli.cli_id)
    keep_evidence(cli.cli_id, seen, Source.CHECK, clock=clock)


def _meet(facts: CliFacts, told: Mapping[Capability, Evidence], clock: Clock) -> KnownCli:
    joins()
    cli, _is_new = CliVersion.objects.get_or_create(
        driver=facts.driver,
        program=facts.program[:120],
        launch=facts.launch[:64],
        version=facts.version[:120],
        defaults={"first_seen_at": clock.now()},
    )
    return KnownCli(cli_id=cli.pk, known=keep_evidence(cli.pk, told, Source.HANDSHAKE, clock=clock))


@durable
def note_mcp_use(handle: str, *, is_call: bool, clock: Clock) -> None:
    """The session with this handle has come to the room's MCP server: for a list, or to use a tool in a turn."""
    lane = Lane.objects.filter(
        instance__bindings__in=SessionBinding.objects.filter(handle_hash=handle_hash(handle)), cli__isnull=False
    ).first()
    if lane is None or lane.cli_id is None:
        return
    evidence, source = (Evidence.VERIFIED, Source.TURN) if is_call else (Evidence.PROBED, Source.HANDSHAKE)
    keep_evidence(lane.cli_id, {Capability.MCP: evidence}, source, clock=clock)


def keep_evidence(
    cli_id: int, seen: Mapping[Capability, Evidence], source: Source, *, clock: Clock
) -> dict[Capability, Known]:
    """Keep what is new of it; gives all that is known now. Joins the transaction of what showed it."""
    joins()
    rows = CapabilityEvidence.objects.filter(cli_id=cli_id).values_list("capability", "evidence", "source")
    known = {Capability(what): Known(evidence=Evidence(e), source=Source(s)) for what, e, s in rows}
    changes = news(seen, source, known)
    for capability, evidence in changes.items():
        CapabilityEvidence.objects.update_or_create(
            cli_id=cli_id,
            capability=capability.value,
            defaults={"evidence": evidence.value, "source": source.value, "seen_at": clock.now()},
        )
        known[capability] = Known(evidence=evidence, source=source)
    if changes:
        for actor_id in Lane.objects.filter(cli_id=cli_id).values_list("actor_id", flat=True):
            announce_card(actor_id)
    return known

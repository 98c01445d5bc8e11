"""Where the context of later turns begins, and what agents have kept of their days; made with the real actions."""

from datetime import date

from groupx.kernel.clock import Clock
from groupx.kernel.ids import new_token
from memory.actions.compaction_lease import give_lease_back, take_lease
from memory.actions.replace_summary import replace_summary
from memory.actions.write_rollup import write_rollup
from memory.models import Summary
from memory.queries.compaction import Coverage
from memory.queries.rollups import active_rollup
from memory.queries.summaries import context_floor
from memory.rollup_prompt import RollupBatch
from memory.vocabulary import SummaryStatus
from tests import given
from tests.memory import rooms_context


def summed_up(through_seq: int, content: str = "what was said", *, clock: Clock, by: str = "reviewer") -> str:
    """A summary of everything up to this seq, in place of the one before; gives its id."""
    old = Summary.objects.filter(status=SummaryStatus.ACTIVE.value).first()
    floor, token = context_floor(), new_token()
    covered = Coverage(
        old_summary_id=old.summary_id if old else None,
        old_content=old.content if old else "",
        reset_through_seq=floor,
        from_seq=old.from_seq if old else floor + 1,
        after_seq=old.through_seq if old else floor,
        through_seq=through_seq,
    )
    assert take_lease(token, clock=clock)
    summary_id = replace_summary(covered, writer_id=f"agent:{by}", content=content, lease_token=token, clock=clock)
    give_lease_back(token)
    return summary_id


def reset(*, clock: Clock) -> int:
    """A person has the context begin anew behind all that was said; gives the floor."""
    rooms_context.reset(clock=clock)
    return context_floor()


def day_kept(name: str, day: date, content: str, *, clock: Clock) -> str:
    """What an agent keeps of a day, in place of what it had kept of it; gives its id."""
    known = active_rollup(f"agent:{name}", day)
    batch = RollupBatch(
        actor_id=f"agent:{name}",
        day=day,
        record_id=known.record_id if known else None,
        source_ids=(),
        prompt="",
    )
    record_id = write_rollup(batch, content, agent=given.agent(name), clock=clock)
    assert record_id
    return record_id

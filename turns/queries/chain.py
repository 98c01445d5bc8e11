"""The chain of turns that an agent's turn stands in, and what its root has used."""

from django.db import connection
from django.db.models import Count, Value

from rooms.prepared import PreparedSelect
from turns.chain import ChainLimit, Link, RootUse
from turns.member import CallersTurn
from turns.models import LoopStop, Turn
from turns.roster import enabled_agents
from turns.state import CommandType, TurnStatus

_LINKS = """
    WITH RECURSIVE link(turn_id, depth) AS (
        SELECT turn_id, 0 FROM turns_turn WHERE turn_id = %s
        UNION ALL
        SELECT below.parent_turn_id, link.depth + 1
        FROM link JOIN turns_turn below USING (turn_id)
        WHERE below.parent_turn_id IS NOT NULL AND link.depth < %s
    )
    SELECT turn_id, target_id, root_correlation_id, hop_count, command_type, status
    FROM link JOIN turns_turn USING (turn_id) ORDER BY depth
"""
"""The ORM has no recursion. One query, however long the chain is; never longer than its hops say."""
_CALLS = PreparedSelect(
    lambda root: (
        Turn.objects.filter(root_correlation_id=root, retry_of__isnull=True)
        .order_by()
        .values("target_id")
        .annotate(calls=Count("*"))
        .values_list("target_id", "calls")
    )
)
_GRANTS = PreparedSelect(
    lambda root: (
        LoopStop.objects.filter(root_correlation_id=root, granted_at__isnull=False)
        .order_by()
        .values("limit")
        .annotate(times=Count(Value(1)))
        .values_list("limit", "times")
    )
)


def links_of(turn: CallersTurn) -> list[Link]:
    """From this turn, as it stands in the database, up to the one that a person started."""
    with connection.cursor() as cursor:
        cursor.execute(_LINKS, [turn.turn_id, turn.hop_count])
        rows = cursor.fetchall()
    return [
        Link(
            turn_id=turn_id,
            actor_id=target_id,
            root_correlation_id=root_correlation_id,
            hop_count=hop_count,
            command_type=CommandType(command_type),
            status=TurnStatus(status),
        )
        for turn_id, target_id, root_correlation_id, hop_count, command_type, status in rows
    ]


def use_of_root(root_correlation_id: str) -> RootUse:
    """Costs what the root has turns; nothing else of the room is read."""
    return RootUse(
        calls=dict(_CALLS.fetch_all(root_correlation_id)),
        grants={ChainLimit(limit): times for limit, times in _GRANTS.fetch_all(root_correlation_id)},
        roster=enabled_agents(),
    )

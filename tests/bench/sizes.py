"""How much is measured: everything, what a CI run can afford, or just enough to see that the bench still runs."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Size:
    rounds: int
    """How often work and yardstick alternate."""
    connections: tuple[int, ...]
    posts: int
    """Of one round on one connection; more connections send up to four times as many."""
    turns: int
    """One after the other on an idle agent."""
    stream_clients: tuple[int, ...]
    watched_posts: int
    tool_calls: int
    """Of each tool."""
    waiting_asks: int
    together: tuple[int, ...]
    """How many agents get one message."""
    messages_to_all: int
    delta_rates: tuple[int, ...]
    delta_seconds: float
    log_sizes: tuple[int, ...]
    """Events in the logs that are read."""
    base_log: int
    """The one that longer ones are compared to."""
    reads: int
    replayed_events: int
    searched_messages: int
    searched_memories: int
    searches: int
    """Of each kind."""
    missed_messages: int
    """By an agent that is given its packet."""
    packets: int
    backlog_messages: int
    """Before the room is summed up."""
    backlog_context_characters: int
    memory_clients: int
    deaf_clients: int
    memory_seconds: float
    """How long memory is watched for its peak."""
    starts: int
    idle_seconds: float


FULL = Size(
    rounds=5,
    connections=(1, 8, 32),
    posts=60,
    turns=80,
    stream_clients=(1, 50, 200),
    watched_posts=60,
    tool_calls=50,
    waiting_asks=100,
    together=(3, 5, 8),
    messages_to_all=10,
    delta_rates=(50, 500, 2000),
    delta_seconds=4,
    log_sizes=(0, 1_000, 10_000, 100_000),
    base_log=1_000,
    reads=80,
    replayed_events=10_000,
    searched_messages=100_000,
    searched_memories=2_000,
    searches=20,
    missed_messages=10_000,
    packets=40,
    backlog_messages=5_000,
    backlog_context_characters=256_000,
    memory_clients=200,
    deaf_clients=50,
    memory_seconds=4,
    starts=3,
    idle_seconds=20,
)
QUICK = Size(
    rounds=2,
    connections=(1, 8),
    posts=40,
    turns=20,
    stream_clients=(1, 50),
    watched_posts=20,
    tool_calls=12,
    waiting_asks=100,
    together=(3,),
    messages_to_all=4,
    delta_rates=(50, 500),
    delta_seconds=2,
    log_sizes=(1_000, 10_000),
    base_log=1_000,
    reads=20,
    replayed_events=10_000,
    searched_messages=10_000,
    searched_memories=500,
    searches=10,
    missed_messages=5_000,
    packets=10,
    backlog_messages=1_500,
    backlog_context_characters=256_000,
    memory_clients=50,
    deaf_clients=10,
    memory_seconds=2,
    starts=1,
    idle_seconds=6,
)
SMALLEST = Size(
    rounds=1,
    connections=(2,),
    posts=5,
    turns=2,
    stream_clients=(2,),
    watched_posts=3,
    tool_calls=2,
    waiting_asks=4,
    together=(2,),
    messages_to_all=1,
    delta_rates=(100,),
    delta_seconds=0.3,
    log_sizes=(0, 100),
    base_log=0,
    reads=3,
    replayed_events=100,
    searched_messages=100,
    searched_memories=50,
    searches=2,
    missed_messages=50,
    packets=2,
    backlog_messages=60,
    backlog_context_characters=10_000,
    memory_clients=2,
    deaf_clients=1,
    memory_seconds=0.2,
    starts=1,
    idle_seconds=0.2,
)

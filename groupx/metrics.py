"""GET /metrics: what an operator measures, as Prometheus text (docs/operations.md, "Metrics").

Lanes write to the database and this process reads: what is durable is taken from there at each scrape. Turns that
end are counted by their terminal events from where the log ended when this process began, so a scrape costs what
has happened since the last one. Nothing is counted per event or delta.
"""

import asyncio
from collections.abc import Iterator

import psutil
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from groupx.kernel.errors import GroupXError
from groupx.kernel.logs import get_logger
from groupx.request_tally import RequestTally
from groupx.runtime import ServerRuntime
from rooms.asgi_json import JsonRequest
from rooms.checkpoints import log_file
from rooms.transactions import StoreError, in_reader, pending_calls
from turns.consumers import LaneSocket
from turns.measures import PAGE_TURNS, EndedTurn, RoomNow, room_now, turns_ended_after
from turns.state import OPEN, JobStatus

log = get_logger()

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
SECONDS = (0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400)
"""Turns take from moments to hours."""
SERVE = "serve"


class RoomMetrics:
    """One per server process."""

    def __init__(
        self,
        runtime: ServerRuntime,
        answered: RequestTally,
        lanes: LaneSocket,
        page_turns: int = PAGE_TURNS,
    ) -> None:
        self._runtime, self._page_turns = runtime, page_turns
        self._now = _Now(runtime, answered, lanes)
        self._counted_through: int | None = None
        self._lock = asyncio.Lock()
        self.registry = CollectorRegistry()
        self.registry.register(self._now)
        self._ended = Counter(
            "groupx_turns_ended", "Turns that ended, by how.", ["agent", "status"], registry=self.registry
        )
        self._errors = Counter(
            "groupx_turn_errors", "Turns that ended with an error code.", ["agent", "code"], registry=self.registry
        )
        self._waited = Histogram(
            "groupx_turn_wait_seconds",
            "From the message to the prompt.",
            ["agent"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self._ran = Histogram(
            "groupx_turn_run_seconds", "From the prompt to the end.", ["agent"], buckets=SECONDS, registry=self.registry
        )

        self._tokens = Counter(
            "groupx_turn_tokens", "Tokens that agents told of.", ["agent", "kind"], registry=self.registry
        )
        self._cost = Counter(
            "groupx_turn_cost_usd", "Cost that agents told of, in US dollars.", ["agent"], registry=self.registry
        )

    async def get_metrics(self, request: JsonRequest) -> tuple[int, str]:
        async with self._lock:
            await self._look()
            return 200, generate_latest(self.registry).decode()

    async def _look(self) -> None:
        try:
            self._now.room = await in_reader(room_now)
            if self._counted_through is None and self._runtime.tail.is_ready:
                self._counted_through = self._runtime.tail.first_seq
            while self._counted_through is not None:
                ended = await in_reader(turns_ended_after, self._counted_through, self._page_turns)
                for turn in ended:
                    self._count(turn)
                    self._counted_through = turn.seq
                if len(ended) < self._page_turns:
                    break
        except (StoreError, GroupXError) as error:
            log.warning("metrics_without_database", error=str(error))
            self._now.room = None

    def _count(self, turn: EndedTurn) -> None:
        agent = turn.actor_id.removeprefix("agent:")
        self._ended.labels(agent, turn.status.value).inc()
        if turn.error_code:
            self._errors.labels(agent, turn.error_code).inc()
        self._waited.labels(agent).observe(turn.waited_seconds)
        if turn.ran_seconds is not None:
            self._ran.labels(agent).observe(turn.ran_seconds)
        for kind, count in (("input", turn.input_tokens), ("output", turn.output_tokens)):
            if count is not None:
                self._tokens.labels(agent, kind).inc(count)
        if turn.cost_usd is not None:
            self._cost.labels(agent).inc(turn.cost_usd)


class _Now(Collector):
    """What is read anew at each scrape."""

    def __init__(self, runtime: ServerRuntime, answered: RequestTally, lanes: LaneSocket) -> None:
        self._runtime, self._answered, self._lanes = runtime, answered, lanes
        self.room: RoomNow | None = None
        """None while the database cannot be read."""

    def collect(self) -> Iterator[Metric]:
        yield from self._of_the_server()
        yield from self._of_processes()
        yield _gauge("groupx_database_up", "1 while the database can be read.", float(self.room is not None))
        if self.room is not None:
            yield from self._of_the_room(self.room)

    def _of_the_server(self) -> Iterator[Metric]:
        requests = CounterMetricFamily(
            "groupx_http_requests", "Answers, by route and status.", labels=["method", "route", "status"]
        )
        for (method, route, status), count in self._answered.answers.items():
            requests.add_metric([method, route, str(status)], count)
        yield requests
        tail, followers = self._runtime.tail, self._runtime.tail.followers
        yield _gauge("groupx_event_stream_clients", "Clients of the event stream.", len(followers))
        behind = max((tail.read_seq - follower.seq for follower in followers), default=0)
        yield _gauge("groupx_event_stream_lag_events", "How far the slowest client is behind.", max(0, behind))
        pending = GaugeMetricFamily(
            "groupx_database_calls_pending", "Calls that wait for a database thread.", labels=["threads"]
        )
        for name, count in pending_calls().items():
            pending.add_metric([name], count)
        yield pending
        yield _gauge("groupx_database_wal_bytes", "Size of the write-ahead log.", log_file().bytes)

    def _of_the_room(self, room: RoomNow) -> Iterator[Metric]:
        yield _gauge("groupx_log_last_seq", "The newest event.", room.last_seq)
        lag = max(0, room.last_seq - self._runtime.tail.read_seq)
        yield _gauge("groupx_log_lag_events", "Committed events that the streams have not been told of.", lag)
        queues = GaugeMetricFamily("groupx_turns", "Open turns, by status.", labels=["agent", "status"])
        connected = GaugeMetricFamily(
            "groupx_lane_connected", "Whether the agent's worker is connected.", labels=["agent"]
        )
        states = GaugeMetricFamily(
            "groupx_agent_status", "1 for the status that the agent's card shows.", labels=["agent", "status"]
        )
        jobs = GaugeMetricFamily(
            "groupx_agent_jobs", "Open jobs of agents outside turns, by status.", labels=["agent", "status"]
        )
        sources = GaugeMetricFamily(
            "groupx_rollup_sources_pending", "Turns that wait to go into dated memory.", labels=["agent"]
        )
        for actor_id, lane in room.lanes.items():
            agent = actor_id.removeprefix("agent:")
            for status in sorted(OPEN):
                queues.add_metric([agent, status.value], room.open_turns.get((actor_id, status), 0))
            connected.add_metric([agent], min(1, self._lanes.connections[agent]))
            states.add_metric([agent, lane.status.value], 1)
            for job_status in (JobStatus.WAITING, JobStatus.TAKEN):
                jobs.add_metric([agent, job_status.value], room.open_jobs.get((actor_id, job_status), 0))
            sources.add_metric([agent], room.rollup_sources.get(actor_id, 0))
        yield from (queues, connected, states, jobs, sources)
        yield CounterMetricFamily("groupx_summaries", "Summaries written.", value=room.newest_summary)

    def _of_processes(self) -> Iterator[Metric]:
        memory = GaugeMetricFamily("groupx_process_memory_bytes", "Resident memory.", labels=["process"])
        cpu = CounterMetricFamily("groupx_process_cpu_seconds", "Processor time used.", labels=["process"])
        lanes = self.room.lanes if self.room is not None else {}
        pids = {f"lane:{actor_id.removeprefix('agent:')}": lane.worker_pid for actor_id, lane in lanes.items()}
        for name, pid in {SERVE: psutil.Process().pid, **pids}.items():
            if pid is None:
                continue
            try:
                process = psutil.Process(pid)
                times = process.cpu_times()
                memory.add_metric([name], process.memory_info().rss)
                cpu.add_metric([name], times.user + times.system)
            except psutil.Error:  # it has just ended
                continue
        yield from (memory, cpu)


def _gauge(name: str, words: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, words, value=value)

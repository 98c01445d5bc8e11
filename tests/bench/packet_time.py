"""A program that times what an agent is given, in one process: `python -m tests.bench.packet_time TIMES MISSED`.

Works on the database of GROUPX_CONFIG, whose newest events must be messages. TIMES packets are made of each kind for
its first agent: one that has missed nothing, one that has missed MISSED messages, and the same where a summary stands
for all but the newest. Prints their milliseconds, processor time and characters as JSON.
"""

import json
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import django

django.setup()

from groupx.run_config import current_run  # noqa: E402 - settings first
from memory.gather import gather_packet_inputs  # noqa: E402
from memory.models import Summary  # noqa: E402
from memory.packet import build_packet  # noqa: E402
from rooms.models import Event  # noqa: E402
from rooms.vocabulary import CONTEXT_TYPES  # noqa: E402
from tests.bench.old_rooms import sum_up  # noqa: E402


@dataclass
class Timed:
    took_ms: list[float] = field(default_factory=list)
    cpu_seconds: float = 0.0
    characters: int = 0

    def time(self, **facts: Any) -> None:
        began, cpu_began = time.perf_counter(), time.process_time()
        packet = build_packet(gather_packet_inputs(**facts))
        self.took_ms.append((time.perf_counter() - began) * 1000)
        self.cpu_seconds += time.process_time() - cpu_began
        self.characters = len(packet.text)


def main() -> None:
    times, missed = (int(argument) for argument in sys.argv[1:])
    config = current_run().config
    newest = Event.objects.filter(type__in=CONTEXT_TYPES).latest("seq")
    facts = {
        "target_id": f"agent:{next(iter(config.agents))}",
        "source": newest.event_id,
        "root_correlation_id": newest.root_correlation_id,
        "through_seq": newest.seq,
        "max_chars": config.limits.context_characters,
    }
    everything, nothing = newest.seq - 1 - missed, newest.seq - 1
    Timed().time(given_through_seq=everything, **facts)  # what is compiled once is none of the measured ones
    none_missed, many_missed, summed_up = Timed(), Timed(), Timed()
    for _ in range(times):
        none_missed.time(given_through_seq=nothing, **facts)
        many_missed.time(given_through_seq=everything, **facts)
    sum_up()
    for _ in range(times):
        summed_up.time(given_through_seq=everything, **facts)
    Summary.objects.all().delete()
    print(json.dumps([vars(timed) for timed in (none_missed, many_missed, summed_up)]))


if __name__ == "__main__":
    main()

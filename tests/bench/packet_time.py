"""A program that times what an agent is given, in one process: `python -m tests.bench.packet_time TIMES COUNT …`.

Reads the database of GROUPX_CONFIG. For each COUNT of messages that its first agent has missed, TIMES packets are made
in turns; prints their milliseconds and characters as JSON. Every event of the log must be a message.
"""

import json
import sys
import time

import django

django.setup()

from groupx.run_config import current_run  # noqa: E402 - settings first
from memory.gather import gather_packet_inputs  # noqa: E402
from memory.packet import build_packet  # noqa: E402
from rooms.models import Event  # noqa: E402
from rooms.vocabulary import CONTEXT_TYPES  # noqa: E402


def main() -> None:
    times, *counts = (int(argument) for argument in sys.argv[1:])
    config = current_run().config
    newest = Event.objects.filter(type__in=CONTEXT_TYPES).latest("seq")
    took_ms: dict[int, list[float]] = {count: [] for count in counts}
    characters = dict.fromkeys(counts, 0)
    for round_ in range(times + 1):
        for count in counts:
            began = time.perf_counter()
            inputs = gather_packet_inputs(
                target_id=f"agent:{next(iter(config.agents))}",
                source=newest.event_id,
                root_correlation_id=newest.root_correlation_id,
                given_through_seq=newest.seq - 1 - count,
                through_seq=newest.seq,
                max_chars=config.limits.context_characters,
            )
            packet = build_packet(inputs)
            if round_:  # what is compiled once is none of the measured ones
                took_ms[count].append((time.perf_counter() - began) * 1000)
            characters[count] = len(packet.text)
    print(json.dumps([{"missed": n, "took_ms": took_ms[n], "characters": characters[n]} for n in counts]))


if __name__ == "__main__":
    main()

"""`uv run python -m tests.chaos --rounds 200`: a room under load that is killed, frozen and starved, and then judged.

Prints a line per round and the sums; exit 1 with the seed, the round and the command that replays it when anything was
lost, sent twice, left over or missed.
"""

import argparse
import random
import sys

from tests.chaos.plan import Kind
from tests.chaos.rounds import Options, Outcome, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--first", type=int, default=1, help="begin with this round of the seed")
    parser.add_argument("--only", type=Kind, choices=list(Kind), metavar="KIND", help=", ".join(Kind))
    parser.add_argument("--keep", action="store_true", help="keep the rooms' folders also when all is well")
    given = parser.parse_args()
    options = Options(seed=given.seed, count=given.rounds, first=given.first, only=given.only, keeps=given.keep)
    print(f"seed {options.seed}, {options.count} rounds", flush=True)
    outcome = run(options, lambda line: print(line, flush=True))
    print("\n".join(report(outcome)))
    return 1 if outcome.faults else 0


def report(outcome: Outcome) -> list[str]:
    lines = [f"blows: {', '.join(f'{kind} {count}' for kind, count in sorted(outcome.kinds.items()))}"]
    if outcome.faults:
        return [
            *lines,
            f"FAILED in {outcome.failed_in}",
            *(f"  {fault}" for fault in outcome.faults[:40]),
            f"kept: {outcome.folder}",
            f"replay: {outcome.replay}",
        ]
    counts = outcome.counts
    lines.append(
        f"accepted {counts['accepted']}, completed {counts['completed']}, interrupted {counts['interrupted']}, "
        f"failed {counts['failed']}, cancelled {counts['cancelled']}"
    )
    lines.append("lost 0, prompted twice 0, orphans 0, gaps at reconnecting SSE clients 0")
    lines.append(
        f"requests without an answer that were sent again {counts['repeated']}, refused with 503 {counts['refused']}, "
        f"stream connections {counts['connections']}"
    )
    if outcome.folder is not None:
        lines.append(f"kept: {outcome.folder}")
    return lines


if __name__ == "__main__":
    sys.exit(main())

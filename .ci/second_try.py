"""Run pytest; where a few tests failed, those once more, alone, one after the other.

    python .ci/second_try.py LIST [pytest's arguments]

A whole run is thousands of tests with real processes and browsers on a machine that others use too. What fails twice is
red, and so is a first try with more than a few failures. What passes only at the second try is written into the file
LIST and told: it is no success but a fault, of the test or of what it tests, that waits to be understood.
Ends with pytest's exit code.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_FAILED = 3
"""More at once is no flake of one test."""
TESTS_FAILED = 1
"""pytest's exit code when all went well but for tests."""


def main(told: Path, arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as cache:  # of this run only: what failed before it is no concern here
        command = [sys.executable, "-m", "pytest", *arguments, "-o", f"cache_dir={cache}"]
        exit_code = subprocess.run(command).returncode
        if exit_code != TESTS_FAILED:
            return exit_code
        failed = list(json.loads(Path(cache, "v/cache/lastfailed").read_text()))
        if len(failed) > MOST_FAILED:
            print(f"\n{len(failed)} tests failed: too many for a second try.", flush=True)
            return exit_code
        print("\nOnce more, alone:", *failed, sep="\n  ", flush=True)
        exit_code = subprocess.run(
            [*command, "-n", "0", "--last-failed", "--last-failed-no-failures", "none"]
        ).returncode
        if exit_code == 0:
            told.write_text("".join(f"  {test}\n" for test in failed))
            print("\nPassed only at the second try:", *failed, sep="\n  ", flush=True)
        return exit_code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))

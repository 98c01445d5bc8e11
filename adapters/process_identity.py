"""What tells a process from another one that got its number later, whatever happens to the wall clock meanwhile.

Linux counts starts in clock ticks since the machine booted, which no step of the clock changes; a start of another
boot must be told apart by the id of the boot. Elsewhere only the time of day is known.
"""

import os
import sys
from pathlib import Path

import psutil

COUNTS_FROM_BOOT = sys.platform == "linux"
WALL_CLOCK_TOLERANCE_SECONDS = 1.0
"""A clock that is being corrected moves; numbers are not given again within a second."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def start_of(pid: int) -> float | None:
    """When the process began, in seconds since the boot (Linux) or the epoch; None when there is no such process."""
    if not COUNTS_FROM_BOOT:
        try:
            return psutil.Process(pid).create_time()
        except psutil.NoSuchProcess:
            return None
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    after_name = stat.rpartition(b")")[2].split()  # a name may contain anything
    return int(after_name[19]) / os.sysconf("SC_CLK_TCK")


def tolerance_seconds() -> float:
    """How far two start times of one process may be apart."""
    return 0.0 if COUNTS_FROM_BOOT else WALL_CLOCK_TOLERANCE_SECONDS


def boot_id() -> str | None:
    """Differs after each boot; None where start times count from the epoch and need no such thing."""
    if not COUNTS_FROM_BOOT:
        return None
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return None

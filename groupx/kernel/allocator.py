"""Memory of large texts goes back to the system.

glibc raises its border for blocks of their own with every large block that is freed, up to 32 MB; after a few answers
of megabytes a process would keep hundreds of them as holes. A fixed border keeps it as small as it was.
"""

import ctypes
from contextlib import suppress

_M_MMAP_THRESHOLD = -3
LARGE_BYTES = 1024 * 1024


def give_back_large_blocks() -> None:
    """For the whole process, before it works; does nothing where the C library is another."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)

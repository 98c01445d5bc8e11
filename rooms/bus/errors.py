"""What ends a command, each kind with its exit code. The message is one line that says what to do about it."""


class BusError(Exception):
    """Something inside failed: the disk, a lock that did not come free, a file that cannot be understood."""

    exit_code = 1


class UsageError(BusError):
    """What was asked for cannot be meant. Nothing was touched."""

    exit_code = 2


class WaitTimedOut(BusError):
    exit_code = 3


class WakeFailed(BusError):
    """The member has no channel, or its CLI gave no answer; the room was told."""

    exit_code = 4


class Guarded(BusError):
    """A guard against endless waking stopped it."""

    exit_code = 5

"""`aig selfcheck`: the bus tries itself out, as processes, in a temporary folder. Touches nothing else."""

import tempfile
from pathlib import Path

from rooms.bus.arguments import Parser
from rooms.bus.call import Call
from rooms.bus.errors import BusError
from rooms.bus.selfcheck import CHECKS


def add_arguments(parser: Parser) -> None:
    pass


def run(call: Call) -> None:
    """
    Raises:
        BusError: one of the checks failed.
    """
    failed = 0
    for name, check in CHECKS.items():
        with tempfile.TemporaryDirectory(prefix="aig-selfcheck-") as folder:
            fault = check(Path(folder))
        failed += fault is not None
        if call.out.is_json:
            call.out.record({"check": name, "ok": fault is None, "fault": fault})
        else:
            call.out.text(f"{'ok    ' if fault is None else 'FAILED'}  {name}{f': {fault}' if fault else ''}")
        call.out.flush()
    if failed:
        raise BusError(f"{failed} of {len(CHECKS)} checks failed: do not trust this installation on this file system.")

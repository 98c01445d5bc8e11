"""Newline-delimited JSON-RPC on standard output, one frame at a time."""

import json
import sys
import threading
from typing import Any


class Wire:
    def __init__(self) -> None:
        self._lock = threading.Lock()

    def send(self, frame: dict[str, Any]) -> None:
        with self._lock:
            sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **frame}).encode() + b"\n")
            sys.stdout.buffer.flush()

    def update(self, session_id: str, update: dict[str, Any]) -> None:
        self.send({"method": "session/update", "params": {"sessionId": session_id, "update": update}})

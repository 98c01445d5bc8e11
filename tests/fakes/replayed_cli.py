"""A child process that behaves as a real CLI did in a recording: python replayed_cli.py RECORDING [its arguments].

It waits for each line that was sent to the real one, by its kind, and then says what that one said, with the ids
and the folder of now. A request that the recording does not know at all is refused, as an older CLI would do it.
"""

import json
import sys
from pathlib import Path
from typing import Any

PROJECT, SESSION = "/project", "5e551010-0000-4000-8000-000000000000"
SESSION_FLAGS = ("--session-id", "--resume")
METHOD_NOT_FOUND = -32601
DISAGREED = 3


def kind_of(frame: Any) -> str:
    """Method, type and subtype of a frame, or that it is an answer."""
    if not isinstance(frame, dict):
        return "text"
    inner = frame.get("request") if isinstance(frame.get("request"), dict) else {}
    named = [frame.get("method"), frame.get("type"), inner.get("subtype")]
    return "/".join(part for part in named if isinstance(part, str)) or "answer"


def id_of(frame: Any) -> Any:
    return (frame.get("id", frame.get("request_id"))) if isinstance(frame, dict) else None


class Replay:
    def __init__(self, lines: list[dict[str, Any]], session: str) -> None:
        self._lines = lines
        self._known = {kind_of(line["->"]) for line in lines if "->" in line}
        self._ids: dict[str, Any] = {}
        """Recorded id of a request of ours, as JSON, to that of now."""
        self._words = {PROJECT: str(Path.cwd()), SESSION: session}
        """What stands in the recording to what stands for it now."""

    def run(self) -> None:
        for line in self._lines:
            if "->" in line:
                self._hear(line["->"])
            else:
                self._say(line["<-"])
        sys.stdin.read()  # until the end of input, as most CLIs do

    def _hear(self, recorded: Any) -> None:
        while raw := sys.stdin.readline():
            frame = json.loads(raw)
            if kind_of(frame) == kind_of(recorded):
                if id_of(recorded) is not None and kind_of(recorded) != "answer":
                    self._ids[json.dumps(id_of(recorded))] = id_of(frame)
                if isinstance(recorded, dict) and isinstance(recorded.get("uuid"), str):
                    self._words[recorded["uuid"]] = str(frame.get("uuid"))
                return
            if kind_of(frame) in self._known or id_of(frame) is None:
                print(f"expected {kind_of(recorded)}, got {kind_of(frame)}", file=sys.stderr, flush=True)
                sys.exit(DISAGREED)
            error = {"code": METHOD_NOT_FOUND, "message": "Method not found"}
            self._write({"jsonrpc": "2.0", "id": id_of(frame), "error": error})
        sys.exit(0)

    def _say(self, recorded: Any) -> None:
        if kind_of(recorded) == "answer":
            recorded = {**recorded, "id": self._ids.get(json.dumps(recorded.get("id")), recorded.get("id"))}
        elif isinstance(recorded, dict) and isinstance(recorded.get("response"), dict):
            answer = recorded["response"]
            asked = answer.get("request_id")
            recorded = {**recorded, "response": {**answer, "request_id": self._ids.get(json.dumps(asked), asked)}}
        self._write(recorded)

    def _write(self, frame: Any) -> None:
        text = frame if isinstance(frame, str) else json.dumps(frame)
        for recorded, now in self._words.items():
            text = text.replace(recorded, now)
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def main() -> None:
    _, recording, *args = sys.argv
    named = [args[at + 1] for at, arg in enumerate(args[:-1]) if arg in SESSION_FLAGS]
    _, *lines = [json.loads(line) for line in Path(recording).read_text().splitlines()]
    Replay(lines, named[0] if named else SESSION).run()


if __name__ == "__main__":
    main()

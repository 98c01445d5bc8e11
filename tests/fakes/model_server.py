"""A scripted model on loopback: OpenAI's Chat Completions and Responses, so that real CLIs can run without one.

What it answers is scripted by the last text of a person in the request; the first directive decides:

    ERROR:<status>            this HTTP status
    TOOL:<part> {json}        call the first offered tool whose name contains <part>; several lines are several
                              calls, one per request; when all have their results, answer RESULT:<the results>
    SLOW:<seconds>            "tick 1 tick 2 …", four a second
    REASON:<words>            think these first; may be followed by another directive
    SAY:<words>               answer these, word by word
    anything else             ECHO:<the end of it>

In a test: `with ModelServer() as model:` gives `model.base_url` and, afterwards, `model.requests`. By hand:
`python -m tests.fakes.model_server --port 8399`.
"""

import argparse
import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.fakes.model_answers import chat_events, chat_reply, responses_events
from tests.fakes.model_plan import plan, read_chat, read_responses


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_GET(self) -> None:
        models = [{"id": "fake-model", "object": "model", "created": 1, "owned_by": "fake", "context_length": 200_000}]
        self._send(200, {"object": "list", "data": models})

    def do_POST(self) -> None:
        body = self._body()
        is_chat = self.path.partition("?")[0].endswith("/chat/completions")
        asked = read_chat(body) if is_chat else read_responses(body)
        answer = plan(asked.text, asked.tools, asked.results)
        self.server.note({"path": self.path, "asked": asked.text, "tools": asked.tools, "results": asked.results})
        if answer.error_status is not None:
            error = {"message": "scripted error", "type": "invalid_request_error", "code": "scripted"}
            return self._send(answer.error_status, {"error": error})
        model = str(body.get("model", "fake-model"))
        try:
            if body.get("stream"):
                self._stream(
                    chat_events(model, answer) if is_chat else responses_events(model, answer), named=not is_chat
                )
            elif is_chat:
                self._send(200, chat_reply(model, answer))
            else:
                *_, completed = responses_events(model, answer)
                self._send(200, completed["response"])
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # a cancel of the CLI: that is what SLOW is for
            self.server.note({"path": self.path, "disconnected": True})

    def _stream(self, events: Iterator[dict[str, Any]], *, named: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events:
            head = f"event: {event['type']}\n" if named else ""
            self.wfile.write(f"{head}data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
        if not named:
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _send(self, status: int, value: dict[str, Any]) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _body(self) -> dict[str, Any]:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            raw = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "gzip":
            raw = gzip.decompress(raw)
        try:
            value = json.loads(raw)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: `requests` tells what came."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.requests: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def note(self, entry: dict[str, Any]) -> None:
        with self._lock:
            self.requests.append(entry)


class ModelServer:
    """A context manager; listens on a free port of loopback unless told otherwise."""

    def __init__(self, port: int = 0) -> None:
        self._server = _Server(port)
        self._thread = threading.Thread(target=self._server.serve_forever, name="model-server", daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def requests(self) -> list[dict[str, Any]]:
        """Every POST so far: path, asked, tools, results; and `disconnected` where the CLI hung up."""
        return list(self._server.requests)

    def __enter__(self) -> "ModelServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description="A scripted model on loopback.")
    parser.add_argument("--port", type=int, default=8399, help="0 takes a free one")
    server = ModelServer(parser.parse_args().port)
    print(server.base_url, flush=True)
    with server:
        threading.Event().wait()


if __name__ == "__main__":
    main()

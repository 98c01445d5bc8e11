"""A scripted model on loopback, so that real CLIs can run without one: OpenAI's Chat Completions and Responses,
Anthropic's Messages, Google's generateContent.

What it answers is scripted by the last text of a person in the request; the first directive decides:

    ERROR:<status>            this HTTP status, in the API's own shape; ERROR:context is a conversation that has
                              become too long; either may be followed by retry-after=<seconds>
    TOOL:<part> {json}        call the offered tool of that name, else the first whose name contains <part>; several
                              lines are several calls, one per request; when all have their results, answer
                              RESULT:<the results>, or what SAY says
    ROOM:<tool> {json}        the same with a tool of the room's MCP server, by whatever name the CLI shows it under;
                              where it is hidden behind a search, that is called first
    SLOW:<seconds>            "tick 1 tick 2 …", eight a second
    REASON:<words>            think these first; may be followed by another directive
    SAY:<words>               answer these, word by word; after calls {content} in it is what stands in their results
                              under that name
    NOTES:<words>             where the room asks for a summary or the memory of a day: NOTES with these words of all
                              that was said; all other directives in such a prompt are those of others
    anything else             ECHO:<the end of it>

The usage of every answer is the same: tests.fakes.model_plan names the numbers.

In a test: `with ModelServer() as model:` gives `model.base_url` (`model.root_url` without /v1) and, afterwards,
`model.requests`. By hand: `python -m tests.fakes.model_server --port 8399`.
"""

import argparse
import gzip
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.fakes.model_apis import APIS, TOKEN_COUNTS, Api
from tests.fakes.model_plan import CONTEXT_TOKENS, plan


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_HEAD(self) -> None:
        self._send(200, {})

    def do_GET(self) -> None:
        model = {"id": "fake-model", "object": "model", "type": "model", "display_name": "Fake", "created": 1,
                 "owned_by": "fake", "context_length": CONTEXT_TOKENS}  # fmt: skip
        self._send(200, {"object": "list", "data": [model], "has_more": False})

    def do_POST(self) -> None:
        raw = self._body()
        body = _object(raw)
        path = self.path.partition("?")[0].rstrip("/")
        for end, field in TOKEN_COUNTS.items():
            if path.endswith(end):
                return self._send(200, {field: max(1, len(raw) // 4)})
        for api in APIS:
            if found := api.path.search(path):
                model = found.groupdict().get("model") or str(body.get("model", "fake-model"))
                return self._answer(api, path, model, body)
        self.server.note({"path": self.path, "unknown": True})
        self._send(404, {"error": {"message": f"no such path: {path}"}})

    def _answer(self, api: Api, path: str, model: str, body: dict[str, Any]) -> None:
        asked = api.read(body)
        answer = plan(asked.text, asked.tools, asked.results)
        note = {"asked": asked.text, "said": asked.said, "tools": asked.tools, "results": asked.results}
        self.server.note({"path": self.path, "model": model, **note})
        if answer.error is not None:
            return self._send(answer.error.status, api.error(answer.error), answer.error.headers)
        try:
            if api.wants_stream(path, body):
                self._stream(api, api.events(model, answer))
            else:
                self._send(200, api.reply(model, answer))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # a cancel of the CLI: that is what SLOW is for
            self.server.note({"path": self.path, "disconnected": True})

    def _stream(self, api: Api, events: Iterator[dict[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events:
            head = f"event: {event['type']}\n" if api.names_events else ""
            self.wfile.write(f"{head}data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
        if api.last_line is not None:
            self.wfile.write(f"data: {api.last_line}\n\n".encode())
        self.close_connection = True

    def _send(self, status: int, value: dict[str, Any], headers: Mapping[str, str] | None = None) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            raw = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(raw) if self.headers.get("Content-Encoding") == "gzip" else raw

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: `requests` tells what came."""


def _object(raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


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
    def root_url(self) -> str:
        """For CLIs that add the version of the API themselves: Anthropic's and Google's do."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def base_url(self) -> str:
        return f"{self.root_url}/v1"

    @property
    def requests(self) -> list[dict[str, Any]]:
        """Every POST so far: path, model, asked, said (all of the person's texts in it), tools, results; and
        `disconnected` where the CLI hung up, `unknown` where nothing is served."""
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

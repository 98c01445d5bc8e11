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
import itertools
import json
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

TICK_SECONDS = 0.25
USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
_DIRECTIVE = re.compile(r"(?:SAY|REASON|SLOW|TOOL|ERROR):")
_TAGS = re.compile(r"</?(?:user_query|user_message|query)>")
_NOT_A_PERSON = ("<system-reminder>", "<environment_context>", "<user_instructions>", "# AGENTS.md", "<permissions")
_ids = itertools.count(1)


# ---------------------------------------------------------------- what to answer
@dataclass(frozen=True, kw_only=True)
class Plan:
    text: str = ""
    reasoning: str = ""
    tool: str | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    pause_seconds: float = 0.0
    error_status: int | None = None

    def words(self) -> list[str]:
        return re.findall(r"\S+\s*|\s+", self.text)


def plan(asked: str, tools: list[str], results: list[str]) -> Plan:
    """`results` are those of the tools called since `asked` was said."""
    if error := re.search(r"ERROR:(\d+)", asked):
        return Plan(error_status=int(error[1]))
    found = re.search(r"REASON:([^\n]*)", asked)
    reasoning = found[1].strip() if found else ""
    if calls := list(re.finditer(r"TOOL:(\S+)[ \t]*", asked)):
        return _tool_plan(asked, calls, tools, results, reasoning)
    if slow := re.search(r"SLOW:([\d.]+)", asked):
        ticks = max(1, round(float(slow[1]) / TICK_SECONDS))
        text = "".join(f"tick {number} " for number in range(1, ticks + 1))
        return Plan(text=text, reasoning=reasoning, pause_seconds=TICK_SECONDS / 2)
    if say := re.search(r"SAY:([^\n]*)", asked):
        return Plan(text=say[1].strip().strip("\"'"), reasoning=reasoning)
    return Plan(text="done" if reasoning else f"ECHO:{asked[-200:]}", reasoning=reasoning)


def _tool_plan(asked: str, calls: list[re.Match[str]], tools: list[str], results: list[str], reasoning: str) -> Plan:
    if len(results) >= len(calls):
        return Plan(text="RESULT:" + " | ".join(result[:300] for result in results), reasoning=reasoning)
    if not tools:
        return Plan(text="a side request")  # titles and summaries come without tools
    call = calls[len(results)]
    name = next((tool for tool in tools if call[1].lower() in tool.lower()), None)
    if name is None:
        return Plan(text=f"NO-SUCH-TOOL:{call[1]}")
    try:
        arguments = json.JSONDecoder().raw_decode(asked[call.end() :].lstrip())[0]
    except ValueError:
        arguments = {}
    return Plan(tool=name, arguments=arguments, reasoning=reasoning)


# ---------------------------------------------------------------- reading requests
@dataclass(frozen=True)
class Asked:
    """The same of both request formats."""

    text: str
    tools: list[str]
    results: list[str]


def read_chat(body: dict[str, Any]) -> Asked:
    tools = [tool.get("function", {}).get("name", "") for tool in body.get("tools") or []]
    text, results = "", []
    for message in body.get("messages", []):
        if message.get("role") == "user" and (said := _said_by_person(message.get("content"))):
            text, results = said, []
        elif message.get("role") == "tool":
            results.append("".join(_texts(message.get("content"))))
    return Asked(text, tools, results)


def read_responses(body: dict[str, Any]) -> Asked:
    tools = [
        f"{tool['name']}/{inner['name']}" if "tools" in tool else tool.get("name") or tool.get("type", "")
        for tool in body.get("tools") or []
        for inner in (tool.get("tools") or [{}])
    ]
    if isinstance(body.get("input"), str):
        return Asked(body["input"], tools, [])
    text, results = "", []
    for item in body.get("input") or []:
        if item.get("role") == "user" and (said := _said_by_person(item.get("content"))):
            text, results = said, []
        elif item.get("type") in ("function_call_output", "custom_tool_call_output"):
            results.append("".join(_texts(item.get("output"))) or json.dumps(item.get("output")))
    return Asked(text, tools, results)


def _texts(content: object) -> Iterator[str]:
    match content:
        case str():
            yield content
        case list():
            for part in content:
                yield from _texts(part)
        case {"text": str() as text}:
            yield text
        case {"content": inner}:
            yield from _texts(inner)


def _said_by_person(content: object) -> str:
    """CLIs add reminders and context to a person's message; the last text with a directive is the person's."""
    texts = [_TAGS.sub("", text) for text in _texts(content)]
    own = [text for text in texts if not text.lstrip().startswith(_NOT_A_PERSON)]
    return next((text for text in reversed(own) if _DIRECTIVE.search(text)), own[-1] if own else "")


# ---------------------------------------------------------------- writing answers
def chat_events(model: str, answer: Plan) -> Iterator[dict[str, Any]]:
    """The chunks of a streamed chat completion."""
    head = {"id": f"chatcmpl-{next(_ids)}", "object": "chat.completion.chunk", "created": 1, "model": model}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    for word in re.findall(r"\S+\s*", answer.reasoning):
        yield chunk({"reasoning_content": word})
    for word in answer.words():
        yield chunk({"content": word})
        time.sleep(answer.pause_seconds)
    if answer.tool:
        yield chunk({"tool_calls": [{"index": 0, **_chat_call(answer)}]})
    yield chunk({}, "tool_calls" if answer.tool else "stop")
    yield {**head, "choices": [], "usage": USAGE}


def chat_reply(model: str, answer: Plan) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if answer.tool:
        message["tool_calls"] = [_chat_call(answer)]
    finish = "tool_calls" if answer.tool else "stop"
    choices = [{"index": 0, "message": message, "finish_reason": finish}]
    return {"id": f"chatcmpl-{next(_ids)}", "object": "chat.completion", "created": 1, "model": model,
            "choices": choices, "usage": USAGE}  # fmt: skip


def _chat_call(answer: Plan) -> dict[str, Any]:
    function = {"name": answer.tool, "arguments": json.dumps(answer.arguments)}
    return {"id": f"call_{next(_ids)}", "type": "function", "function": function}


def responses_events(model: str, answer: Plan) -> Iterator[dict[str, Any]]:
    """The events of a streamed response."""
    response_id, number = f"resp_{next(_ids)}", itertools.count()
    output: list[dict[str, Any]] = []

    def event(type_: str, **fields: Any) -> dict[str, Any]:
        return {"type": type_, "sequence_number": next(number), **fields}

    yield event("response.created", response=_response(response_id, model, "in_progress", []))
    for item in _response_items(answer):
        place = {"output_index": len(output), "item_id": item["id"]}
        empty = (
            {"summary": []}
            if item["type"] == "reasoning"
            else {"content": []}
            if "content" in item
            else {"arguments": ""}
        )
        yield event("response.output_item.added", output_index=len(output), item={**item, **empty})
        if item["type"] == "reasoning":
            for word in re.findall(r"\S+\s*", answer.reasoning):
                yield event("response.reasoning_summary_text.delta", summary_index=0, delta=word, **place)
        elif item["type"] == "message":
            yield event("response.content_part.added", content_index=0, part=_part(""), **place)
            for word in answer.words():
                yield event("response.output_text.delta", content_index=0, delta=word, **place)
                time.sleep(answer.pause_seconds)
            yield event("response.output_text.done", content_index=0, text=answer.text, **place)
            yield event("response.content_part.done", content_index=0, part=_part(answer.text), **place)
        else:
            yield event("response.function_call_arguments.delta", delta=item["arguments"], **place)
        yield event("response.output_item.done", output_index=len(output), item=item)
        output.append(item)
    yield event("response.completed", response=_response(response_id, model, "completed", output))


def _response_items(answer: Plan) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if answer.reasoning:
        summary = [{"type": "summary_text", "text": answer.reasoning}]
        items.append({"type": "reasoning", "id": f"rs_{next(_ids)}", "summary": summary})
    if answer.tool:
        namespace, _, name = answer.tool.rpartition("/")
        call = {"name": name, "arguments": json.dumps(answer.arguments), "status": "completed"}
        item = {"type": "function_call", "id": f"fc_{next(_ids)}", "call_id": f"call_{next(_ids)}", **call}
        items.append({**item, "namespace": namespace} if namespace else item)
    else:
        message = {"role": "assistant", "status": "completed", "content": [_part(answer.text)]}
        items.append({"type": "message", "id": f"msg_{next(_ids)}", **message})
    return items


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


def _response(response_id: str, model: str, status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
    usage = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18, "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}  # fmt: skip
    return {"id": response_id, "object": "response", "created_at": 1, "status": status, "model": model,
            "output": output, "usage": usage if status == "completed" else None, "error": None,
            "parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "metadata": {}}  # fmt: skip


# ---------------------------------------------------------------- the server
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

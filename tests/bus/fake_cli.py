#!/usr/bin/env python3
"""A stand-in for every agent CLI that the file bus can run, as a child process that misbehaves on command.

Under the name of a CLI it answers in that CLI's shape. `FAKE_CLI` names a folder: `plan.json` there says what to do
(see `main`), and every call is appended to `calls.jsonl` with what the CLI was given.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

FOLDER = Path(os.environ["FAKE_CLI"])
NAME = Path(sys.argv[0]).name
USAGE = {"input_tokens": 11, "output_tokens": 7, "cache_read_input_tokens": 3}


def result(text: str, failed: bool) -> dict[str, object]:
    return {
        "type": "result",
        "subtype": "success",  # so it is called even when the model refused
        "is_error": failed,
        "result": text,
        "total_cost_usd": 0.25,
        "usage": USAGE,
    }


def opencode(text: str, failed: bool) -> str:
    if failed:
        return lines({"type": "error", "error": {"name": "APIError", "data": {"message": text}}})
    step = {"tokens": {"total": 18, "input": 11, "output": 7, "reasoning": 0, "cache": {"read": 0, "write": 0}}}
    return lines(
        {"type": "step_start", "part": {}},
        {"type": "text", "part": {"type": "text", "text": "Let me see."}},
        {"type": "tool_use", "part": {"tool": "bash"}},
        {"type": "step_finish", "part": {**step, "reason": "tool-calls", "cost": 0.25}},
        {"type": "text", "part": {"type": "text", "text": text}},
        {"type": "step_finish", "part": {**step, "reason": "stop", "cost": 0.5}},
    )


def codex(text: str, failed: bool) -> str:
    if failed:
        return lines({"type": "error", "message": "trying again"}, {"type": "turn.failed", "error": {"message": text}})
    return lines(
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.completed", "item": {"type": "error", "message": "unknown model, going on"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "Let me see."}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": text}},
        {"type": "turn.completed", "usage": {"input_tokens": 11, "cached_input_tokens": 3, "output_tokens": 7}},
    )


def claude(text: str, failed: bool) -> str:
    return json.dumps(result(text, failed)) + "\n"


def cbc(text: str, failed: bool) -> str:
    messages = [{"type": "message", "role": "assistant"}, {"type": "file-history-snapshot"}, result(text, failed)]
    return "> WorkBuddy 2.117\n\n" + json.dumps(messages, indent=2) + "\n"


def qwen(text: str, failed: bool) -> str:
    return json.dumps([{"type": "system", "subtype": "init"}, {"type": "assistant"}, result(text, failed)]) + "\n"


def gemini(text: str, failed: bool) -> str:
    if failed:
        return json.dumps({"session_id": "s", "error": {"type": "ApiError", "message": text, "code": 400}}, indent=2)
    tokens = {"prompt": 11, "candidates": 7, "total": 18, "cached": 3, "thoughts": 0}
    return json.dumps({"session_id": "s", "response": text, "stats": {"models": {"m": {"tokens": tokens}}}}, indent=2)


def kimi(text: str, failed: bool) -> str:
    if failed:
        sys.stderr.write(text)
        return ""
    return lines(
        {"role": "meta", "type": "system.version"},
        {"role": "assistant", "content": "Let me see.", "tool_calls": [{"id": "1"}]},
        {"role": "tool", "content": "a file"},
        {"role": "assistant", "content": text},
        {"role": "meta", "type": "session.resume_hint", "session_id": "s"},
    )


def plainly(text: str, failed: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m\n\n"


def lines(*events: object) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


SHAPES = {
    "opencode": opencode,
    "codex": codex,
    "claude": claude,
    "cbc": cbc,
    "qwen": qwen,
    "gemini": gemini,
    "kimi": kimi,
}


def main() -> int:
    """What a plan may say: `answer` or `error` (words), `raw` (standard output as it is), `stderr` (characters of it),
    `exit`, `started` and `waits_for` (named pipes: what waits for it, what it waits for), `hangs`, `ignores_term`,
    `child` (one that hangs too), `runs` (argv), `deaf` (reads no standard input).
    """
    plan = json.loads((FOLDER / "plan.json").read_text())
    stdin = "" if plan.get("deaf") else sys.stdin.read()
    if plan.get("ignores_term"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    call = {"name": NAME, "argv": sys.argv[1:], "stdin": stdin, "cwd": str(Path.cwd()), "env": dict(os.environ)}
    if plan.get("child"):
        call["child"] = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"]).pid
    with (FOLDER / "calls.jsonl").open("a") as calls:
        calls.write(json.dumps({**call, "pid": os.getpid()}) + "\n")
    if plan.get("started"):
        with Path(plan["started"]).open("w") as told:  # a named pipe: somebody waits for this
            told.write("started")
    if plan.get("waits_for"):
        Path(plan["waits_for"]).read_text()
    sys.stderr.write("x" * plan.get("stderr", 0))
    if plan.get("hangs"):
        signal.pause()
    if plan.get("runs"):
        done = subprocess.run(plan["runs"], capture_output=True, text=True, check=False)
        sys.stdout.write(SHAPES.get(NAME, plainly)(f"{done.returncode} {done.stderr.strip()}", False))
    elif "raw" in plan:
        sys.stdout.write(plan["raw"])
    else:
        text = plan.get("error", plan.get("answer", ""))
        sys.stdout.write(SHAPES.get(NAME, plainly)(text, "error" in plan))
    sys.stdout.flush()
    return int(plan.get("exit", 0))


if __name__ == "__main__":
    sys.exit(main())

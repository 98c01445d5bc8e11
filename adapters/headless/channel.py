"""A channel that runs a CLI as a process: data for the differences, one way of running for all."""

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from adapters.headless.contract import ARGUMENT_PROMPT_BYTES, Answer, ChannelFailed, NativeError, Task
from adapters.headless.output import cleaned
from adapters.headless.process import MAX_STDOUT_BYTES, Finished, run_process

type Reader = Callable[[str], Answer | None]
"""Reads standard output. None: there is nothing of the structure it knows. Raises NativeError."""


@dataclass(frozen=True, kw_only=True)
class ProcessChannel:
    name: str
    executables: tuple[str, ...] = ()
    """The preferred one first."""
    args: tuple[str, ...] = ()
    read: Reader
    model_flag: str | None = None
    prompt_flag: str | None = None
    """The prompt is the value of this flag (an empty one: the last argument) instead of standard input."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Set unless the person has set it."""
    settings: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """variable of the CLI → (variable of ours that gives its value, the value without it)."""

    @property
    def prompt_bytes(self) -> int | None:
        return None if self.prompt_flag is None else ARGUMENT_PROMPT_BYTES

    def run(self, task: Task) -> Answer:
        argv = self._argv(task)
        env = self._environment(task.env)
        stdin = task.prompt.encode("utf-8", "replace") if self.prompt_flag is None else b""
        try:
            finished = run_process(argv, stdin=stdin, cwd=task.cwd, env=env, timeout_seconds=task.timeout_seconds)
        except (OSError, ValueError) as error:
            raise ChannelFailed(f"“{argv[0]}” could not be started: {error}.") from None
        if task.raw_folder is not None:
            _keep_raw(task.raw_folder, f"{task.label}-{self.name}", argv, finished)
        return self._judge(finished, task)

    def _argv(self, task: Task) -> tuple[str, ...]:
        if not task.cwd.is_dir():
            raise ChannelFailed(f"The working folder {task.cwd} does not exist. Correct the member's cwd.")
        program, *rest = task.command or (self._executable(task.env), *self.args)
        found = shutil.which(str(task.cwd / program) if "/" in program else program, path=task.env.get("PATH"))
        if found is None:
            raise ChannelFailed(f"The command “{program}” was not found. Install it, or correct PATH.")
        model = (self.model_flag, task.model) if self.model_flag and task.model else ()
        flag = (self.prompt_flag,) if self.prompt_flag else ()
        prompt = () if self.prompt_flag is None else (*flag, task.prompt)
        return (found, *rest, *model, *prompt)

    def _executable(self, env: Mapping[str, str]) -> str:
        there = (name for name in self.executables if shutil.which(name, path=env.get("PATH")))
        return next(there, self.executables[0])

    def _environment(self, given: Mapping[str, str]) -> dict[str, str]:
        set_by_us = {name: given.get(ours) or default for name, (ours, default) in self.settings.items()}
        return {**self.env, **given, **set_by_us}

    def _judge(self, finished: Finished, task: Task) -> Answer:
        if finished.is_timed_out:
            raise ChannelFailed(f"No answer within {task.timeout_seconds:g} s; it was ended.", finished.stderr)
        if finished.is_too_long:
            raise ChannelFailed(f"It printed more than {MAX_STDOUT_BYTES >> 20} MiB and was ended.", finished.stderr)
        try:
            answer = self.read(finished.stdout)
        except NativeError as error:
            raise ChannelFailed(f"{self.name} reports an error: {error}", finished.stderr) from None
        if finished.exit_code < 0:
            raise ChannelFailed(f"{self.name} was ended by signal {-finished.exit_code}.", finished.stderr)
        if finished.exit_code != 0:
            raise ChannelFailed(f"{self.name} ended with exit code {finished.exit_code}.", finished.stderr)
        if answer is None:
            answer = Answer(text=cleaned(finished.stdout))
        if not answer.text.strip():
            raise ChannelFailed(f"{self.name} gave an empty answer.", finished.stderr)
        return answer


def _keep_raw(folder: Path, label: str, argv: tuple[str, ...], finished: Finished) -> None:
    """Three files, for the person alone. A folder that cannot be written costs them, not the answer."""
    start = f"{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}-{re.sub(r'[^\w.-]', '_', label)}"
    texts = {
        "argv.json": json.dumps(list(argv), ensure_ascii=False, indent=1) + "\n",
        "stdout": finished.stdout,
        "stderr": finished.stderr,
    }
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for ending, text in texts.items():
            path = folder / f"{start}.{ending}"
            path.touch(mode=0o600)
            path.write_text(text, "utf-8", "replace")
    except OSError:
        return

"""A stand-in for serve and the lanes, small enough to start at once. Called as the parent calls them:

    groupx_serve --fd N --control-fd M      answers 200 to everything on N; /say/WORD says WORD to the parent
    groupx_lane AGENT --control-fd M        starts a "CLI" (see below) and records it

Both answer a ping of the parent. Everything else they do is appended to `$RUN_CHILD_LOG`, one line
`<who> <what> <pid>` each. An agent's id says how its lane behaves: `stubborn` ignores that it shall close,
`broken` ends at once; any other closes in order.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

from adapters.process_identity import start_of
from groupx import run_files
from groupx.control import Word


def note(who: str, what: str, pid: int | None = None) -> None:
    with Path(os.environ["RUN_CHILD_LOG"]).open("a") as log:
        log.write(f"{who} {what} {os.getpid() if pid is None else pid}\n")


def serve(listener: socket.socket, control: socket.socket) -> None:
    note("serve", "started")
    if os.environ.get("RUN_CHILD_SERVE") == "fails":
        sys.exit(3)
    control.sendall(b"ready\n")
    threading.Thread(target=obey, args=(control,), daemon=True).start()
    listener.setblocking(True)
    while True:
        connection, _ = listener.accept()
        with connection:
            _, path, _ = connection.recv(65_536).split(b" ", 2)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        if path.startswith(b"/say/"):
            control.sendall(path.removeprefix(b"/say/") + b"\n")


def obey(control: socket.socket) -> None:
    with control.makefile() as reader:
        for line in reader:
            if line.strip() == Word.PING:
                control.sendall(b"pong\n")
                continue
            note("serve", f"told-{line.strip().replace(' ', '-')}")
    note("serve", "closed")
    os._exit(0)


def lane(agent_id: str, control: socket.socket) -> None:
    if agent_id == "broken":
        note(agent_id, "started")
        sys.exit(1)
    cli = subprocess.Popen(
        [sys.executable, "-c", "import signal; signal.pause()"],
        env={**os.environ, "GROUPX_AGENT_ID": agent_id},
        start_new_session=True,
    )
    run_dir = Path(os.environ["GROUPX_RUN_CONFIG"]).parent
    run_files.record_cli(run_dir, agent_id, cli.pid, start_of(cli.pid) or 0.0)
    note(agent_id, "cli", cli.pid)
    note(agent_id, "started")
    while control.recv(4_096):
        control.sendall(b"pong\n")
    if agent_id == "stubborn":
        while True:
            signal.pause()
    cli.kill()
    cli.wait()
    run_files.forget_cli(run_dir, agent_id)
    note(agent_id, "closed")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("verb")
    parser.add_argument("agent_id", nargs="?")
    parser.add_argument("--fd", type=int)
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--control-fd", type=int, required=True)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the end of the line says the same
    control = socket.socket(fileno=given.control_fd)
    if given.verb == "groupx_serve":
        serve(socket.socket(fileno=given.fd), control)
    else:
        lane(given.agent_id, control)


if __name__ == "__main__":
    main()

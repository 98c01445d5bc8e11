"""Logging neither raises into the code that logs nor makes it wait (docs/operations.md, "Logs")."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from groupx.kernel.log_writer import QUEUE_LINES, LogWriter

TALKATIVE = """
import logging, sys
from groupx.kernel.logs import configure_logging, get_logger
configure_logging("test")
get_logger().info("said", text="one\\ntwo")
logging.getLogger("django.request").warning("Not Found: %s", "/x\\ny")
sys.exit(3)
"""


class Stuck:
    """A reader that has paused: the first write never returns until it is let go."""

    def __init__(self):
        self.let_go, self.wrote_again, self.lines = threading.Event(), threading.Event(), []

    def write(self, line):
        self.let_go.wait(10)
        self.lines.append(line)
        if len(self.lines) > 1:
            self.wrote_again.set()

    def flush(self):
        pass


class Gone:
    def write(self, line):
        raise BrokenPipeError

    def flush(self):
        raise BrokenPipeError


def test_a_stream_that_is_gone_raises_nothing():
    writer = LogWriter(Gone())
    for _ in range(3):
        writer.write("a line\n")
    writer.close()


def test_a_stream_that_takes_nothing_makes_nobody_wait_and_the_loss_is_told():
    stream = Stuck()
    writer = LogWriter(stream)
    for number in range(QUEUE_LINES + 50):
        writer.write(f"{number}\n")
    stream.let_go.set()
    writer.write("after\n")
    stream.wrote_again.wait(10)
    writer.close()

    assert any("log_lines_dropped" in line for line in stream.lines)


@pytest.mark.parametrize("sink", ["pipe", "closed", "full"])
def test_a_process_goes_on_whatever_its_standard_error_is(sink):
    command = [sys.executable, "-c", TALKATIVE]
    if sink == "pipe":
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=30)
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        assert [line["event"] for line in lines] == ["said", "Not Found: /x\ny"]
    elif sink == "full":
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(command, stderr=full, timeout=30)
    else:
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(command, stderr=writer, timeout=30)
        os.close(writer)
    assert done.returncode == 3


THREADED = """
import threading
from groupx.kernel.logs import configure_logging, get_logger
configure_logging("serve")
log = get_logger()
log.info("on_the_loop")
thread = threading.Thread(target=lambda: log.info("in_a_thread"))
thread.start()
thread.join()
"""


def test_every_line_tells_its_process_also_from_a_thread():
    done = subprocess.run([sys.executable, "-c", THREADED], capture_output=True, text=True, timeout=30, check=True)
    told = [json.loads(line) for line in done.stderr.splitlines()]
    assert [(line["event"], line["process"]) for line in told] == [("on_the_loop", "serve"), ("in_a_thread", "serve")]

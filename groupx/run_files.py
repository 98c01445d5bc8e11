"""A room's private folder `.groupx/`: what a run writes down so that the next one, and its own parts, find it.

    .groupx/            0700
      secret_key        Django's, made once
      run/              of the present or last run
        lock            held (flock) by the parent of the run
        lane-<id>.lock  held by the one lane of that agent
        secret          of this run; lanes show it to serve
        config.json     the configuration all processes of the run use
        child-<name>.json, cli-<agent>.json, short-<agent>.json
                          pid and start time of processes, to be ended if they outlive us

Files are 0600 and appear whole or not at all. A lock is free the moment its holder dies.
"""

import fcntl
import json
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from adapters.process_identity import boot_id
from groupx.kernel.environment import value_of
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger

log = get_logger()

LANE_SECRET_VARIABLE = "GROUPX_LANE_SECRET"
"""For a lane, or a server, that was started by hand; a CLI never gets it."""
PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
LOCK_CHECK_SECONDS = 0.02
LANE_LOCK_SECONDS = 1.0


# ---------------------------------------------------------------- files
def make_private_folder(path: Path) -> None:
    """The folder with mode 0700, whatever the umask; parents are made as usual."""
    path.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
    path.chmod(PRIVATE_FOLDER)


def write_private(path: Path, text: str) -> None:
    """Replace the file by `text` in one step; nobody ever sees half of it or may read it."""
    staged = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    fd = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), PRIVATE_FILE)
            file.write(text)
        staged.replace(path)
    finally:
        staged.unlink(missing_ok=True)  # still there only when something failed


def make_private_file(path: Path) -> None:
    """An empty private file where there is none; an existing one keeps its content and becomes private."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        os.fchmod(fd, PRIVATE_FILE)
    finally:
        os.close(fd)


def ensure_secret_key(state_dir: Path) -> None:
    path = state_dir / "secret_key"
    if not path.is_file() or not path.read_text(encoding="utf-8").strip():
        write_private(path, secrets.token_urlsafe(48))


def snapshot_path(run_dir: Path) -> Path:
    return run_dir / "config.json"


def new_secret(run_dir: Path) -> None:
    """A new secret of the run; what an older run's lanes hold opens nothing any more."""
    write_private(run_dir / "secret", secrets.token_urlsafe(32))


def what_children_need(run_dir: Path) -> dict[str, str]:
    """Name and text of the files without which no child of this run can start."""
    return {
        name: (run_dir / name).read_text(encoding="utf-8")
        for name in ("config.json", "secret")
        if (run_dir / name).is_file()
    }


def restore_missing(run_dir: Path, files: dict[str, str]) -> bool:
    """Make again what somebody wiped from under a running room (`git clean`, say); True when something was gone."""
    gone = [name for name in files if not (run_dir / name).is_file()]
    if gone:
        make_private_folder(run_dir)
    for name in gone:
        write_private(run_dir / name, files[name])
    return bool(gone)


def read_secret(run_dir: Path) -> str:
    """What a lane shows to serve: GROUPX_LANE_SECRET where it is set, else the secret of the run in this folder.

    Raises:
        FileNotFoundError: no run has begun here.
    """
    if given := value_of(LANE_SECRET_VARIABLE):
        return given
    return (run_dir / "secret").read_text(encoding="utf-8").strip()


# ---------------------------------------------------------------- processes
@dataclass(frozen=True, kw_only=True)
class RecordedProcess:
    """A pid with the start time that tells it from another program which got the number later."""

    pid: int
    started_at: float
    """As `adapters.process_identity.start_of` gives it; the boot it counts from stands in the record's file."""


@dataclass(frozen=True, kw_only=True)
class RecordedChild(RecordedProcess):
    name: str


class CliUse(StrEnum):
    """What a lane has a CLI for; it has one for each at the most. Their files begin with it."""

    TURNS = "cli"
    SHORT_SESSION = "short"


@dataclass(frozen=True, kw_only=True)
class RecordedCli(RecordedProcess):
    agent_id: str
    use: CliUse = CliUse.TURNS


def record_child(run_dir: Path, name: str, pid: int, started_at: float) -> None:
    _record(_child_path(run_dir, name), pid, started_at)


def forget_child(run_dir: Path, name: str) -> None:
    _forget(_child_path(run_dir, name))


def recorded_children(run_dir: Path) -> list[RecordedChild]:
    return [RecordedChild(name=name, pid=pid, started_at=at) for name, pid, at in _recorded(run_dir, "child")]


def record_cli(run_dir: Path, agent_id: str, pid: int, started_at: float, use: CliUse = CliUse.TURNS) -> None:
    """The CLI that this agent's lane has started; a later record replaces the first."""
    _record(_cli_path(run_dir, agent_id, use), pid, started_at)


def forget_cli(run_dir: Path, agent_id: str, use: CliUse = CliUse.TURNS) -> None:
    """The agent's CLI has ended and was reaped."""
    _forget(_cli_path(run_dir, agent_id, use))


def recorded_clis(run_dir: Path, agent_id: str | None = None) -> list[RecordedCli]:
    """What lanes of this run, or the one of this agent, have running, or what a former one left behind."""
    found = [(use, *record) for use in CliUse for record in _recorded(run_dir, use)]
    return [
        RecordedCli(agent_id=name, pid=pid, started_at=at, use=use)
        for use, name, pid, at in found
        if agent_id in (None, name)
    ]


def process_records(run_dir: Path) -> list[Path]:
    """The files of all these records, readable or not."""
    return sorted(path for kind in ("child", *CliUse) for path in run_dir.glob(f"{kind}-*.json"))


def _child_path(run_dir: Path, name: str) -> Path:
    return run_dir / f"child-{name}.json"


def _cli_path(run_dir: Path, agent_id: str, use: CliUse) -> Path:
    return run_dir / f"{use}-{agent_id}.json"


def _record(path: Path, pid: int, started_at: float) -> None:
    write_private(path, json.dumps({"pid": pid, "startedAt": started_at, "bootId": boot_id()}))


def _forget(path: Path) -> None:
    """A record that cannot be removed (the disk has become read-only) does no harm: its start time tells it apart."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("record_not_removed", file=path.name, reason=error.strerror)


def _recorded(run_dir: Path, kind: str) -> Iterator[tuple[str, int, float]]:
    """Name, pid and start time. A record that is damaged or of another boot is left out: nothing may be ended on a
    guess, and no process outlives the machine."""
    for path in sorted(run_dir.glob(f"{kind}-*.json")):
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            found, of_boot = (int(raw["pid"]), float(raw["startedAt"])), raw["bootId"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if of_boot != boot_id():
            continue
        yield path.name.removeprefix(f"{kind}-").removesuffix(".json"), *found


# ---------------------------------------------------------------- locks
class FileLock:
    """An exclusive `flock`. The system frees it when its holder ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None

    def acquire(self, *, wait_seconds: float = 0.0) -> bool:
        """Take the lock; False when another holder still has it after `wait_seconds`. Blocks the thread."""
        if self._fd is not None:
            return True
        deadline = time.monotonic() + wait_seconds
        with ExitStack() as undo:
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
            undo.callback(os.close, fd)
            while not _flock(fd):
                if time.monotonic() >= deadline:
                    return False
                time.sleep(LOCK_CHECK_SECONDS)
            undo.pop_all()
        self._fd = fd
        return True

    def release(self) -> None:
        """Idempotent. The file stays: taking it away would let two holders lock two files of one name."""
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)

    @property
    def is_ours(self) -> bool:
        return self._fd is not None


class RunLock(FileLock):
    """Held by the parent from before it touches anything of the room until it has ended everything."""

    def __init__(self, run_dir: Path) -> None:
        super().__init__(run_dir / "lock")


class LaneLock(FileLock):
    """Held by the one lane of an agent on this machine: `with LaneLock(...):` around all its work."""

    def __init__(self, run_dir: Path, agent_id: str) -> None:
        super().__init__(run_dir / f"lane-{agent_id}.lock")
        self._agent_id = agent_id

    def __enter__(self) -> "LaneLock":
        """
        Raises:
            GroupXError: RUNTIME_LOCKED when another process works this lane and goes on with it.
        """
        if not self.acquire(wait_seconds=LANE_LOCK_SECONDS):
            raise GroupXError(ErrorCode.RUNTIME_LOCKED, f"Another process works the lane of “{self._agent_id}”.")
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _flock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_locked(path: Path) -> bool:
    """Whether somebody holds the lock right now; leaves no file where there was none.

    Looks by taking it for an instant: who wants the lock for good waits a moment before giving up.
    """
    if not path.is_file():
        return False
    lock = FileLock(path)
    if not lock.acquire():
        return True
    lock.release()
    return False

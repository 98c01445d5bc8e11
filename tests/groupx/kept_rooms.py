"""A room's folder with a database that real actions have written, for tests of commands that keep it."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from groupx import database
from groupx.doctor.findings import Level
from groupx.doctor.situation import Situation, look_around
from groupx.doctor.store import check_store

CHECKOUT = Path(__file__).resolve().parents[2]
COMMAND_SECONDS = 60


def keep_room(folder: Path, **configuration: Any) -> Path:
    """Copy the test's database into a configured folder; gives the path of the copy."""
    config = {"server": {"port": 1}, "agents": {}, **configuration}
    (folder / "groupx.json").write_text(json.dumps(config))
    state = folder / ".groupx"
    state.mkdir(mode=0o700)
    path = state / "groupx.db"
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as source, closing(sqlite3.connect(path)) as copy:
        source.backup(copy)
    path.chmod(0o600)
    connection.close()
    return path


def manage(*arguments: str, folder: Path, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """A command in the room's folder, as a person gives it."""
    return run_in(folder, [sys.executable, str(CHECKOUT / "manage.py"), *arguments], stdin=stdin, **env)


def killed_at(step: int, *arguments: str, folder: Path) -> int:
    """A command that is killed before its `step`-th change of a database file's name; gives its exit code."""
    argv = [sys.executable, "-m", "tests.fakes.killed_command", str(step), *arguments]
    return run_in(folder, argv, PYTHONPATH=str(CHECKOUT)).returncode


def manage_on_a_read_only_disk(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The same as `manage`, where the whole folder can only be read."""
    return on_a_read_only_disk([sys.executable, str(CHECKOUT / "manage.py"), *arguments], folder)


def on_a_read_only_disk(argv: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """For root, whom no mode stops, by a mount."""
    if os.geteuid() == 0:
        mounted = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"'
        on_the_mount = ["unshare", "--mount", "sh", "-c", mounted, str(folder)]
        if run_in(folder, [*on_the_mount, "true"]).returncode:
            pytest.skip("root may not mount anything here")
        return run_in(folder, [*on_the_mount, *argv])
    changed = [path for path in (folder, folder / ".groupx") if path.is_dir()]
    for path in changed:
        path.chmod(0o500)
    try:
        return run_in(folder, argv)
    finally:
        for path in changed:
            path.chmod(0o700)


def run_in(folder: Path, argv: list[str], *, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GROUPX_", "DJANGO_"))}
    return subprocess.run(
        argv,
        cwd=folder,
        env={**inherited, **env},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )


def rows(path: Path, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as opened:
        return opened.execute(sql, parameters).fetchall()


def execute(path: Path, *statements: str) -> None:
    """Damage or change a database behind everybody's back."""
    with closing(sqlite3.connect(path)) as opened, opened:
        for statement in statements:
            opened.execute(statement)


def write_first_version(path: Path) -> None:
    """A room's database as the first version of its tables has it: one message that waits for nobody."""
    path.unlink(missing_ok=True)
    with database.using(path):
        for app in ("rooms", "turns"):
            call_command("migrate", app, "0001", verbosity=0)
    at = "2026-01-01 00:00:00"
    execute(
        path,
        "INSERT INTO rooms_store (id, epoch, boot_id, closed_cleanly) VALUES (1, 'first', '', 1)",
        f"INSERT INTO rooms_room (room_id, title, last_seq, created_at) VALUES ('room:main', 'old room', 1, '{at}')",
        """INSERT INTO rooms_actor (actor_id, kind, display_name, driver, identity, cwd, roster_position, enabled)
           VALUES ('user:web', 'user', 'You', '', '', '', 0, 1),
           ('system:groupx', 'system', 'GroupX', '', '', '', 0, 1)""",
        f"""INSERT INTO rooms_event (event_id, room_id, seq, type, actor_id, actor_name, "to", correlation_id,
            root_correlation_id, source_kind, body, occurred_at) VALUES ('evt_old', 'room:main', 1, 'message.created',
            'user:web', 'You', '[]', 'corr_old', 'corr_old', 'web', '{{"content": "old"}}', '{at}')""",
    )
    path.chmod(0o600)


NO_TRIGGER = "DROP TRIGGER events_are_append_only"
"""Before an event is changed from outside."""


def looked(folder: Path, *, is_full: bool = False) -> Situation:
    return look_around(folder / "groupx.json", is_full=is_full)


def found(folder: Path, *, is_full: bool = False) -> dict[str, Level]:
    """What the doctor finds in the database."""
    return {finding.code: finding.level for finding in check_store(looked(folder, is_full=is_full))}


def database_of(folder: Path) -> Path:
    return folder / ".groupx" / "groupx.db"

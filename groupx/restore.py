"""A backup becomes a room's database: into a new file, brought up to date, settled, and only then given its name.

Nothing is ever written over. The backup itself is only read.
"""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.utils.translation import gettext as _

from assistant.actions.settle_assistant import settle_restored_assistant
from groupx import database, store_files
from groupx.backups import STAMP, sync
from groupx.kernel.clock import Clock
from groupx.kernel.config import RunConfig
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.private_output import put_in_place, refuse_existing, working_name
from groupx.quiet_room import quiet
from groupx.run_files import make_private_file
from rooms.transactions import StoreError
from turns.actions.settle_restored import settle_restored


@dataclass(frozen=True, kw_only=True)
class Restored:
    path: Path
    is_in_use: bool
    """The configuration names this file: the next start takes it."""
    moved_aside: Path | None
    """Where the room's former database is now."""
    events: int
    settled_turns: int
    ends_at: datetime | None


def restore(
    backup: Path,
    run: RunConfig,
    *,
    to: Path | None,
    replaces: bool,
    clock: Clock,
    on_progress: Callable[[float], None] = lambda done: None,
) -> Restored:
    """Restore into `to`, or to where the room's database belongs when there is none; else beside it, under a new name.

    With `replaces` the restored one takes the place of the room's present database, which is kept aside.

    Raises:
        GroupXError: NOT_FOUND, STORE_INVALID for a backup that is damaged, foreign or newer, FILE_REFUSED for a
            target that exists, RUNTIME_LOCKED when the room runs and its own database is meant.
    """
    store_files.require_ours(backup)
    store_files.require_intact(backup)
    own = run.database_path
    stamp = clock.now().astimezone().strftime(STAMP)
    is_taken = any(path.exists() for path in store_files.with_side_files(own))
    target = to or (own if replaces or not is_taken else own.with_name(f"{own.stem}-restored-{stamp}{own.suffix}"))
    copied = Copying(backup, target, clock, on_progress)
    if target != own:
        return copied.run(None)
    with quiet(run):
        aside = own.with_name(f"{own.stem}-before-restore-{stamp}{own.suffix}") if is_taken and replaces else None
        return copied.run(aside, is_in_use=True)


@dataclass(frozen=True)
class Copying:
    backup: Path
    target: Path
    clock: Clock
    on_progress: Callable[[float], None]

    def run(self, aside: Path | None, *, is_in_use: bool = False) -> Restored:
        """Copy, bring up to date, settle, take the name; what has it is `aside` from then on, if that is given."""
        try:
            refuse_existing(*store_files.with_side_files(aside or self.target))
            with working_name(self.target) as staged:
                make_private_file(staged)
                store_files.copy(self.backup, staged, self.on_progress)
                with database.using(staged):
                    database.migrate()
                    room = settle_restored(clock=self.clock)
                    settle_restored_assistant(clock=self.clock)
                events = store_files.contents(staged).events
                sync(staged)
                if aside is None:
                    put_in_place(staged, self.target)
                else:
                    store_files.replace(self.target, staged, aside)
            sync(self.target.parent)
        except (sqlite3.Error, StoreError) as error:
            raise GroupXError(
                ErrorCode.STORE_INVALID,
                _("%(backup)s cannot be restored: %(reason)s.") % {"backup": self.backup, "reason": error},
            ) from error
        except OSError as error:
            raise GroupXError(
                ErrorCode.FILE_REFUSED,
                _("%(path)s cannot be written: %(reason)s.") % {"path": self.target, "reason": error.strerror or error},
            ) from error
        return Restored(
            path=self.target,
            is_in_use=is_in_use,
            moved_aside=aside,
            events=events,
            settled_turns=room.settled_turns,
            ends_at=room.ends_at,
        )

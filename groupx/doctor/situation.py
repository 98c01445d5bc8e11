"""Where the doctor looks: the configuration, as far as it can be read, and the folders that belong to it."""

from dataclasses import dataclass
from pathlib import Path

from groupx import run_files
from groupx.kernel.as_typed import as_typed_for
from groupx.kernel.config import RunConfig, read_run_config
from groupx.kernel.config_file import load_config, parse_config
from groupx.kernel.errors import GroupXError
from groupx.kernel.home_paths import from_home
from groupx.run_config import allowed_drivers


@dataclass(frozen=True, kw_only=True)
class Situation:
    config_path: Path
    is_configured: bool
    """The configuration file is there."""
    run: RunConfig
    """What it says, or the defaults where it says nothing that can be used."""
    config_error: GroupXError | None
    is_running: bool
    """A parent of this room lives."""
    is_full: bool
    """Take the time to look at everything."""
    is_about_all_drivers: bool = False
    """Tell of every CLI that GroupX knows, installed or not."""

    def command(self, *words: str) -> str:
        """`groupx …` for this very room, as it can be typed here."""
        return as_typed_for(self.config_path, *words)

    @property
    def can_use_configuration(self) -> bool:
        return self.is_configured and self.config_error is None


def look_around(config_path: Path, *, is_full: bool, is_about_all_drivers: bool = False) -> Situation:
    """Never raises for a configuration that is missing or wrong; that is a finding."""
    path = from_home(str(config_path)).resolve()
    error = None
    try:
        run = load_config(path, allowed_drivers())
    except GroupXError as refused:
        error = refused
        run = parse_config({"agents": {}}, path, allowed_drivers())
    return Situation(
        config_path=path,
        is_configured=path.exists(),
        run=run,
        config_error=error,
        is_running=run_files.is_locked(run.run_dir / "lock"),
        is_full=is_full,
        is_about_all_drivers=is_about_all_drivers,
    )


def as_it_runs(situation: Situation) -> RunConfig:
    """The configuration of the running room, which may have been started with an older file or another port."""
    if situation.is_running:
        try:
            return read_run_config(run_files.snapshot_path(situation.run.run_dir))
        except (OSError, ValueError):
            pass
    return situation.run

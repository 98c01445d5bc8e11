"""Files by which a system starts a room when its person signs in: a systemd user unit, a launchd agent. Pure.

They start the program, folder and search path that were here when they were printed: a service has no shell of its own
in which the agents' CLIs would be found.
"""

import plistlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

STOP_SECONDS = 20
"""More than an ordered end takes (docs/operations.md, "Commands")."""
RESTART_SECONDS = 5


class ServiceKind(StrEnum):
    SYSTEMD = "systemd"
    LAUNCHD = "launchd"


@dataclass(frozen=True, kw_only=True)
class Service:
    """One room as a service of its user."""

    config_path: Path
    program: Sequence[str]
    """What starts it, with all arguments."""
    search_path: str
    """PATH, as agents need it."""
    log_path: Path
    """Where launchd, which has no journal, puts what the room says."""
    key: str
    """Tells the rooms of one person apart: the beginning of the runtimeScopeKey."""

    @property
    def name(self) -> str:
        return f"groupx-{self.key}"


def service_file(service: Service, kind: ServiceKind) -> str:
    """Starts it again when it fails, not when it was stopped; ends it in order."""
    return _systemd_unit(service) if kind is ServiceKind.SYSTEMD else _launchd_agent(service)


def where_it_goes(service: Service, kind: ServiceKind) -> str:
    """Below the home folder."""
    if kind is ServiceKind.SYSTEMD:
        return f"~/.config/systemd/user/{service.name}.service"
    return f"~/Library/LaunchAgents/{_label(service)}.plist"


def how_to_enable(service: Service, kind: ServiceKind) -> str:
    if kind is ServiceKind.SYSTEMD:
        return f"systemctl --user daemon-reload && systemctl --user enable --now {service.name}"
    return f"launchctl bootstrap gui/$(id -u) {where_it_goes(service, kind)}"


# ---------------------------------------------------------------- systemd
def _systemd_unit(service: Service) -> str:
    folder = service.config_path.parent
    return f"""\
[Unit]
Description=GroupX room in {_without_specifiers(str(folder))}
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
WorkingDirectory={_without_specifiers(str(folder))}
Environment={_quoted(f"PATH={service.search_path}")}
ExecStart={" ".join(_argument(word) for word in service.program)}
Restart=on-failure
RestartSec={RESTART_SECONDS}
KillMode=mixed
TimeoutStopSec={STOP_SECONDS}

[Install]
WantedBy=default.target
"""


def _without_specifiers(text: str) -> str:
    return text.replace("%", "%%")


def _quoted(text: str) -> str:
    escaped = _without_specifiers(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _argument(word: str) -> str:
    """As `_quoted`; in a command line a dollar would be a variable too."""
    return _quoted(word).replace("$", "$$")


# ---------------------------------------------------------------- launchd
def _launchd_agent(service: Service) -> str:
    log = str(service.log_path)
    return plistlib.dumps(
        {
            "Label": _label(service),
            "ProgramArguments": list(service.program),
            "WorkingDirectory": str(service.config_path.parent),
            "EnvironmentVariables": {"PATH": service.search_path},
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": RESTART_SECONDS,
            "ExitTimeOut": STOP_SECONDS,
            "Umask": 0o077,
            "StandardOutPath": log,
            "StandardErrorPath": log,
        },
        sort_keys=False,
    ).decode()


def _label(service: Service) -> str:
    return f"local.{service.name.replace('-', '.')}"

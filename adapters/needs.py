"""What each kind of CLI needs of the machine, and by what one sees that a person has signed in.

No turn is spent and no secret is read: that a variable is set or a file lies there is a sign, not a proof.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Needs:
    node: tuple[int, ...] | None = None
    """The oldest node that runs it."""
    tested: tuple[int, ...] | None = None
    """The oldest version that was seen to work (docs/drivers.md)."""
    as_root: str | None = None
    """The variable without which it does not run as root."""
    variables: tuple[str, ...] = ()
    """One of them set is a sign of a sign-in."""
    files: tuple[tuple[str, str, str], ...] = ()
    """(variable of the folder, folder without it, file): one of them there is a sign as well."""


NEEDS: Mapping[str, Needs] = {
    "claude": Needs(
        tested=(2, 1),
        as_root="IS_SANDBOX",
        variables=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        files=(("CLAUDE_CONFIG_DIR", "~/.claude", ".credentials.json"),),
    ),
    "opencode": Needs(
        tested=(1, 18),
        variables=("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENCODE_CONFIG_CONTENT"),
        files=(
            ("XDG_DATA_HOME", "~/.local/share", "opencode/auth.json"),
            ("XDG_CONFIG_HOME", "~/.config", "opencode/opencode.json"),
        ),
    ),
    "grok": Needs(
        tested=(1, 0, 41),
        variables=("XAI_API_KEY",),
        files=(("GROK_HOME", "~/.grok", "auth.json"), ("GROK_HOME", "~/.grok", "config.toml")),
    ),
    "kimi": Needs(
        node=(22, 19),
        tested=(2, 1),
        files=(("", "~/.kimi-code", "config.toml"), ("", "~/.kimi-code", "credentials")),
    ),
    "hermes": Needs(tested=(0, 19), files=(("HERMES_HOME", "~/.hermes", "config.yaml"),)),
    "gemini": Needs(
        node=(20,),
        tested=(0, 61),
        variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        files=(("", "~/.gemini", "oauth_creds.json"), ("", "~/.gemini", "settings.json")),
    ),
    "qwen": Needs(
        node=(22,),
        tested=(0, 24),
        variables=("OPENAI_API_KEY",),
        files=(("", "~/.qwen", "oauth_creds.json"), ("", "~/.qwen", "settings.json")),
    ),
    "codebuddy": Needs(
        node=(22,),
        tested=(2, 117),
        variables=("CODEBUDDY_API_KEY",),
        files=(("", "~/.codebuddy", "models.json"),),
    ),
}
"""Drivers that are not here need nothing that is known."""


def needs_of(driver: str) -> Needs:
    return NEEDS.get(driver, Needs())


def signs_of_sign_in(driver: str, env: Mapping[str, str] | None = None) -> list[str]:
    """Names of variables and files that are there; never what is in them."""
    env = os.environ if env is None else env
    needs = needs_of(driver)
    found = [name for name in needs.variables if env.get(name)]
    for variable, without, name in needs.files:
        path = Path(env.get(variable) or without).expanduser() / name
        if path.exists():
            found.append(str(path))
    return found


def is_older(version: str, oldest: tuple[int, ...]) -> bool:
    """`1.2.3-rc.1` is compared by its leading numbers."""
    numbers = []
    for part in version.removeprefix("v").split("."):
        digits = part.partition("-")[0].partition("+")[0]
        if not digits.isdecimal():
            break
        numbers.append(int(digits))
    return tuple(numbers) < oldest

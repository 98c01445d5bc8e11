"""Codex as a program. Pure data; docs/drivers.md says what its real version was seen to do."""

from adapters.contract import Capability
from adapters.program import Program, sign_in_by

CODEX = Program(
    driver="codex",
    title="Codex",
    executables=("codex",),
    # hooks that a person has configured run without a question about each
    args=("--dangerously-bypass-hook-trust", "app-server"),
    older_flags={"--dangerously-bypass-hook-trust": None},
    sign_in=sign_in_by("codex login"),
    install="npm install -g @openai/codex",
    oldest_version=(0, 171),
    sign_in_variables=("OPENAI_API_KEY", "CODEX_API_KEY"),
    sign_in_files=(("CODEX_HOME", "~/.codex", "auth.json"), ("CODEX_HOME", "~/.codex", "config.toml")),
    sign_in_status=("login", "status"),
    documented=frozenset(Capability) - {Capability.COST},
)

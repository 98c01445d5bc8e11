"""What differs between ACP agents, as data. Pure. A further agent is one more entry here.

Sources: docs/drivers.md, which says what each real version was seen to do.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One kind of ACP agent."""

    driver: str
    title: str
    """As people know it, for sentences."""
    executables: tuple[str, ...] = ()
    """Names to look for on PATH, the preferred one first."""
    args: tuple[str, ...] = ()
    """After the configured command."""
    droppable_flags: frozenset[str] = frozenset()
    """Those of `args` that an installed version may not know; it is then started without them."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Set for the process unless the person has set it."""
    env_json: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """JSON objects in variables: these keys are set, the person's other keys stay."""
    mode: str | None = None
    """The session mode that asks nobody; set after every new, load or resume, before the first prompt."""
    late_text: bool = False
    """Seen to send the last words after the reply to the prompt."""
    sign_in: str | None = None
    """How a person signs in, as a sentence."""
    install: str | None = None
    """How it is installed, as a command."""


PROFILES: tuple[Profile, ...] = (
    Profile(
        driver="opencode",
        title="OpenCode",
        executables=("opencode",),
        args=("acp",),
        env={"OPENCODE_DISABLE_AUTOUPDATE": "1"},
        env_json={"OPENCODE_CONFIG_CONTENT": {"permission": "allow"}},
        late_text=True,
        sign_in="Run “opencode auth login” in a terminal.",
        install="npm install -g opencode-ai",
    ),
    Profile(
        driver="grok",
        title="Grok",
        executables=("grok",),
        # session/set_mode answers everything and does nothing: only the flag makes it unrestricted
        args=("--no-auto-update", "agent", "--always-approve", "--no-leader", "stdio"),
        droppable_flags=frozenset({"--no-auto-update", "--always-approve", "--no-leader"}),
        sign_in="Run “grok login” in a terminal, or set XAI_API_KEY.",
        install="npm install -g @xai-official/grok",
    ),
    Profile(
        driver="kimi",
        title="Kimi Code",
        executables=("kimi",),
        args=("acp",),
        mode="auto",  # "yolo" still passes the model's questions on; "auto" never asks
        sign_in="Run “kimi login” in a terminal.",
        install="npm install -g @moonshot-ai/kimi-code",
    ),
    Profile(driver="acp", title="The agent"),
)


BY_DRIVER: Mapping[str, Profile] = {profile.driver: profile for profile in PROFILES}

"""What differs between ACP agents, as data. Pure. A further agent is one more entry here.

Sources: docs/drivers.md, which says what each real version was seen to do.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from adapters.contract import Capability
from adapters.program import Program, sign_in_by
from groupx.kernel.drivers import OPEN_DRIVER


@dataclass(frozen=True, kw_only=True)
class Profile(Program):
    """One kind of ACP agent."""

    agent_name: str | None = None
    """How it introduces itself, where another program is known under the same name."""
    env_json: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """JSON objects in variables: these keys are set, the person's other keys stay."""
    mode: str | None = None
    """The session mode that asks nobody; set after every new, load or resume, before the first prompt."""
    late_text: bool = False
    """Seen to send the last words after the reply to the prompt."""
    tells_history: bool = False
    """Tells the conversation again on each resume, and says that it resumed what does not exist: a resume without
    history found nothing."""
    leaves_tools_open: bool = False
    """Does not tell the end of every tool: when the model goes on, or the turn ends, they are over."""
    usage_is_of_session: bool = False
    """The tokens told with a reply are sums of the whole session."""
    usage_is_of_calls: bool = False
    """Tells the tokens of each call of the model, beside an update, instead of those of the turn."""
    error_in_meta: str | None = None
    """Where in a reply's `_meta` the reason of a failed turn stands."""
    tells_room_tools_by: str | None = None
    """The notification with the `name` of an MCP server and its `status`: a turn that begins before has none of the
    room's tools."""
    rest_after_cancel_seconds: float = 0.0
    """Prompts sent sooner after a cancelled turn are answered as cancelled too."""


OF_THE_PROTOCOL = frozenset({Capability.PROMPT, Capability.STREAM, Capability.CANCEL})
"""ACP asks them of every agent."""
DRIVEN = OF_THE_PROTOCOL | {Capability.REASONING, Capability.TOOLS, Capability.UNRESTRICTED, Capability.MCP}
"""Of all that docs/drivers.md tells about."""

PROFILES: tuple[Profile, ...] = (
    Profile(
        driver="opencode",
        title="OpenCode",
        executables=("opencode",),
        args=("acp",),
        env={"OPENCODE_DISABLE_AUTOUPDATE": "1"},
        env_json={"OPENCODE_CONFIG_CONTENT": {"permission": "allow"}},
        late_text=True,
        sign_in=sign_in_by("opencode auth login"),
        install="npm install -g opencode-ai",
        oldest_version=(1, 18),
        sign_in_variables=("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENCODE_CONFIG_CONTENT"),
        sign_in_files=(
            ("XDG_DATA_HOME", "~/.local/share", "opencode/auth.json"),
            ("XDG_CONFIG_HOME", "~/.config", "opencode/opencode.json"),
        ),
        documented=DRIVEN | {Capability.USAGE, Capability.COST},
    ),
    Profile(
        driver="grok",
        title="Grok",
        executables=("grok",),
        # session/set_mode answers everything and does nothing: only the flag makes it unrestricted
        args=("--no-auto-update", "agent", "--always-approve", "--no-leader", "stdio"),
        older_flags={"--no-auto-update": None, "--always-approve": None, "--no-leader": None},
        tells_room_tools_by="_x.ai/mcp/server_status",
        sign_in=sign_in_by("grok login", "XAI_API_KEY"),
        install="npm install -g @xai-official/grok",
        oldest_version=(1, 0, 41),
        sign_in_variables=("XAI_API_KEY",),
        sign_in_files=(("GROK_HOME", "~/.grok", "auth.json"), ("GROK_HOME", "~/.grok", "config.toml")),
        documented=DRIVEN | {Capability.USAGE},
    ),
    Profile(
        driver="kimi",
        title="Kimi Code",
        executables=("kimi",),
        args=("acp",),
        # else it gives up a tool of the room after 60 s, which is also the longest that one may take
        env={"KIMI_MCP_TOOL_TIMEOUT_MS": "90000"},
        mode="auto",  # "yolo" still passes the model's questions on; "auto" never asks
        sign_in=sign_in_by("kimi login"),
        install="npm install -g @moonshot-ai/kimi-code",
        oldest_version=(2, 1),
        oldest_node=(22, 19),
        sign_in_files=(("", "~/.kimi-code", "config.toml"), ("", "~/.kimi-code", "credentials")),
        documented=DRIVEN,
    ),
    Profile(
        driver="hermes",
        title="Hermes",
        executables=("hermes",),
        agent_name="hermes-agent",  # a JavaScript engine is called hermes too
        # both: the flag covers commands, the mode covers edits
        args=("--yolo", "acp"),
        older_flags={"--yolo": None},
        mode="dont_ask",
        tells_history=True,
        leaves_tools_open=True,  # those that write files
        usage_is_of_session=True,
        sign_in=sign_in_by("hermes model"),
        install="pip install 'hermes-agent[acp,mcp]'",
        oldest_version=(0, 19),
        sign_in_files=(("HERMES_HOME", "~/.hermes", "config.yaml"),),
        documented=DRIVEN | {Capability.USAGE},
    ),
    Profile(
        driver="gemini",
        title="Gemini CLI",
        executables=("gemini",),
        args=("--acp",),
        older_flags={"--acp": "--experimental-acp"},
        # no second process that holds the pipes; and “yolo” is refused in a folder that is not trusted
        env={"GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_CLI_TRUST_WORKSPACE": "true"},
        mode="yolo",
        sign_in=sign_in_by("gemini", "GEMINI_API_KEY"),
        install="npm install -g @google/gemini-cli",
        oldest_version=(0, 61),
        oldest_node=(20,),
        sign_in_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        sign_in_files=(("", "~/.gemini", "oauth_creds.json"), ("", "~/.gemini", "settings.json")),
        documented=DRIVEN | {Capability.USAGE},
    ),
    Profile(
        driver="qwen",
        title="Qwen Code",
        executables=("qwen",),
        args=("--acp",),
        older_flags={"--acp": "--experimental-acp"},
        mode="yolo",  # its default, “auto”, has a model judge each step, and asks
        usage_is_of_calls=True,
        sign_in=sign_in_by("qwen", "OPENAI_API_KEY"),
        install="npm install -g @qwen-code/qwen-code",
        oldest_version=(0, 24),
        oldest_node=(22,),
        sign_in_variables=("OPENAI_API_KEY",),
        sign_in_files=(("", "~/.qwen", "oauth_creds.json"), ("", "~/.qwen", "settings.json")),
        documented=DRIVEN,
    ),
    Profile(
        driver="codebuddy",
        title="CodeBuddy",
        executables=("codebuddy",),
        args=("--acp",),
        env={"CODEBUDDY_DEFER_TOOL_LOADING": "false"},  # else the model has to search for the room's tools first
        mode="bypassPermissions",
        tells_history=True,
        error_in_meta="codebuddy.ai/errorMessage",
        rest_after_cancel_seconds=2.0,
        usage_is_of_calls=True,
        sign_in=sign_in_by("codebuddy", "CODEBUDDY_API_KEY"),
        install="npm install -g @tencent-ai/codebuddy-code",
        oldest_version=(2, 117),
        oldest_node=(22,),
        sign_in_variables=("CODEBUDDY_API_KEY",),
        sign_in_files=(("", "~/.codebuddy", "models.json"),),
        documented=DRIVEN,
    ),
    Profile(driver=OPEN_DRIVER, title="The agent", documented=OF_THE_PROTOCOL),
)


BY_DRIVER: dict[str, Profile] = {profile.driver: profile for profile in PROFILES}

"""Claude Code as a program. Pure data; docs/drivers.md says what its real versions were seen to do."""

from adapters.contract import Capability
from adapters.program import Program

UNRESTRICTED = "bypassPermissions"

CLAUDE = Program(
    driver="claude",
    title="Claude Code",
    executables=("claude",),
    args=(
        *("--print", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"),
        "--include-partial-messages",
        *("--permission-mode", UNRESTRICTED),
    ),
    older_flags={"--include-partial-messages": None},
    # else the model has to search for the room's tools first
    env={"ENABLE_TOOL_SEARCH": "false", "DISABLE_AUTOUPDATER": "1"},
    sign_in="Run “claude” in a terminal and sign in with /login, or set ANTHROPIC_API_KEY.",
    install="npm install -g @anthropic-ai/claude-code",
    oldest_version=(2, 1),
    works_as_root_with="IS_SANDBOX",
    sign_in_variables=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    sign_in_status=("auth", "status"),
    sign_in_files=(("CLAUDE_CONFIG_DIR", "~/.claude", ".credentials.json"),),
    documented=frozenset(Capability),
)

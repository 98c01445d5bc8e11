"""Claude Code as a program. Pure data; docs/drivers.md says what its real versions were seen to do."""

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
)

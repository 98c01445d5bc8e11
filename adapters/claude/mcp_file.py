"""The MCP configuration of one session as a file: a handle among the arguments could be read by everybody here."""

import json
import os
import tempfile
from pathlib import Path

from adapters.claude.messages import mcp_config
from adapters.contract import AdapterError, AgentSpec, McpEndpoint
from groupx.kernel.errors import ErrorCode


def write_mcp_file(spec: AgentSpec, mcp: McpEndpoint) -> Path:
    """Readable by its owner alone; what a process of this agent that was lost has left in the run folder is removed.

    Raises:
        AdapterError: NATIVE_START_FAILED, the disk takes none.
    """
    prefix = f"mcp-{spec.agent_id}."
    try:
        if spec.run_dir is not None:
            for left in spec.run_dir.glob(f"{prefix}*.json"):
                left.unlink(missing_ok=True)
        number, name = tempfile.mkstemp(prefix=prefix, suffix=".json", dir=spec.run_dir)
        with os.fdopen(number, "w", encoding="utf-8") as file:
            json.dump(mcp_config(mcp), file)
    except OSError as error:
        raise AdapterError(
            ErrorCode.NATIVE_START_FAILED,
            f"The file with the room's MCP server could not be written: {error.strerror}.",
            hint="See whether the disk is full, and who owns the folder .groupx/run.",
            temporary=True,
        ) from error
    return Path(name)


def remove(mcp_file: Path | None) -> None:
    if mcp_file is not None:
        mcp_file.unlink(missing_ok=True)

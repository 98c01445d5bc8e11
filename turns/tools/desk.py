"""Where calls of one MCP server arrive: its tools, and who may call them, as whom (edge).

The room has two such servers, for its agents and for its assistant. They differ in nothing else; the SDK's part
(server.py, mount.py) is the same.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from turns.tools.tool import AnyTool

type TellProgress = Callable[[float, str], Awaitable[None]]


class Desk(ABC):
    """One for each server process and MCP server. A caller is known by the secret handle it shows, by that alone."""

    tools: Sequence[AnyTool]
    instructions: str
    """What a model is told of the server as a whole."""
    argument_words: Mapping[str, str]
    """Of arguments that mean the same in each tool."""

    @abstractmethod
    def check_handle(self, handle: str) -> None:
        """Whether this server is open to whoever shows this. May block.

        Raises:
            GroupXError: MCP_BINDING_MISMATCH, MCP_UNAVAILABLE.
        """

    async def noticed(self, handle: str, *, is_call: bool) -> None:
        """Somebody has called a tool, or asked for their list."""
        return

    @abstractmethod
    def calling(self, handle: str, tell_progress: TellProgress) -> AbstractAsyncContextManager[Any]:
        """What the tool that is called runs with, for as long as the call lasts.

        Raises:
            GroupXError: MCP_BINDING_MISMATCH, SESSION_NOT_AVAILABLE.
        """

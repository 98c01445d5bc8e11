"""How the brain is, and whether a secret is its own."""

from dataclasses import dataclass
from typing import Any

from assistant.models import AssistantBrain
from assistant.state import BrainStatus
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.ids import handle_hash
from rooms.prepared import PreparedSelect

_BY_HANDLE = PreparedSelect(lambda hashed: AssistantBrain.objects.filter(handle_hash=hashed).values_list("status"))


@dataclass(frozen=True, kw_only=True)
class BrainView:
    status: BrainStatus = BrainStatus.STOPPED
    status_text: str = ""
    last_error: Any = None


def brain_view() -> BrainView:
    row = AssistantBrain.objects.filter(id=1).values_list("status", "status_text", "last_error").first()
    if row is None:
        return BrainView()
    status, status_text, last_error = row
    return BrainView(status=BrainStatus(status), status_text=status_text, last_error=last_error)


def check_operator_handle(handle: str) -> None:
    """Whether the operator's tools are open to whoever shows this: the brain of this run, and nobody else.

    Raises:
        GroupXError: MCP_BINDING_MISMATCH
    """
    if not handle or _BY_HANDLE.fetch_first(handle_hash(handle)) is None:
        raise GroupXError(
            ErrorCode.MCP_BINDING_MISMATCH, "The header X-GroupX-Binding is not the one of this room’s assistant."
        )

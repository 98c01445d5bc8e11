"""What the brain says of itself, written by the one process that is the brain."""

from typing import Any

from assistant.models import AssistantBrain
from assistant.state import BrainStatus
from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.transactions import durable, joins


def own_brain(token: str) -> AssistantBrain:
    """The row, if this process still is the brain. Joins the caller's transaction.

    Raises:
        GroupXError: STORE_CONFLICT when another process is.
    """
    joins()
    brain = AssistantBrain.objects.filter(id=1, token=token).first()
    if brain is None:
        raise GroupXError(ErrorCode.STORE_CONFLICT, "Another process is the assistant's brain now.")
    return brain


@durable
def show_brain(token: str, status: BrainStatus, status_text: str = "", *, clock: Clock, **more: Any) -> None:
    """`more`: columns that change as well; what is not given stays.

    Raises:
        GroupXError: STORE_CONFLICT when another process is the brain now.
    """
    brain = own_brain(token)
    for name, value in {"status": status.value, "status_text": status_text, **more}.items():
        setattr(brain, name, value)
    brain.changed_at = clock.now()
    brain.save()


@durable
def leave_brain(token: str, *, clock: Clock) -> None:
    """The process ends in order: its handle opens nothing any more. One that was replaced changes nothing."""
    AssistantBrain.objects.filter(id=1, token=token).update(
        status=BrainStatus.STOPPED.value, status_text="", handle_hash=None, pid=None, changed_at=clock.now()
    )

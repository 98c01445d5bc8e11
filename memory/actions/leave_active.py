"""The one step that a record takes: from active to superseded or retracted, by whoever comes first."""

from datetime import datetime

from groupx.kernel.errors import ErrorCode, GroupXError
from memory.models import IdentityRecord, MemoryRecord
from memory.vocabulary import RecordStatus
from rooms.transactions import joins


def leave_active[R: (MemoryRecord, IdentityRecord)](
    model: type[R], record_id: str, status: RecordStatus, *, retracted_at: datetime | None = None
) -> R:
    """Gives the record as it is now. Joins the caller's transaction.

    Raises:
        GroupXError: NOT_FOUND; STORE_CONFLICT when it is active no longer.
    """
    joins()
    active = model.objects.filter(record_id=record_id, status=RecordStatus.ACTIVE.value)
    moved = active.update(status=status.value, retracted_at=retracted_at)
    record: R | None = model.objects.filter(record_id=record_id).first()
    if record is None:
        raise GroupXError(ErrorCode.NOT_FOUND, f"There is no record “{record_id}”.")
    if not moved:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT, f"This record is {record.status} already. Look at what stands there now."
        )
    return record

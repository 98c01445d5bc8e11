"""Random ids with a prefix that tells what they name. Order comes from seq, never from an id."""

import hashlib
import secrets


def new_event_id() -> str:
    return _new("evt")


def new_turn_id() -> str:
    return _new("turn")


def new_attempt_id() -> str:
    return _new("att")


def new_correlation_id() -> str:
    return _new("corr")


def new_instance_id() -> str:
    return _new("inst")


def new_binding_id() -> str:
    return _new("bind")


def new_memory_id() -> str:
    return _new("mem")


def new_identity_id() -> str:
    return _new("idn")


def new_summary_id() -> str:
    return _new("sum")


def new_job_id() -> str:
    return _new("job")


def new_assistant_message_id() -> str:
    return _new("amsg")


def new_token() -> str:
    """A fencing token or epoch: unique, not secret."""
    return secrets.token_hex(16)


def new_handle() -> str:
    """A secret of 256 bits: a binding's handle, the lanes' shared secret."""
    return secrets.token_urlsafe(32)


def handle_hash(handle: str) -> str:
    """How a handle is stored: a leaked database opens no session."""
    return hashlib.sha256(handle.encode()).hexdigest()


def _new(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(12)}"

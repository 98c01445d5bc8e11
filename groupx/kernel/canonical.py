"""Canonical JSON and its hash: two spellings of one request have one fingerprint."""

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> str:
    """Sorted keys, no white space, no escapes beyond JSON's own."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def fingerprint(value: Any) -> str:
    """SHA-256 of the canonical JSON, 64 lower-case hexadecimal digits."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()

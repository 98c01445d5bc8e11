"""The page's files under an address that changes with them, so that a browser asks for each only once."""

from hashlib import sha256
from pathlib import Path

A_YEAR_SECONDS = 31_536_000


def files_version(folder: Path, *libraries: str) -> str:
    """The same for the same names, contents and versions of libraries that bring files of their own."""
    digest = sha256(" ".join(libraries).encode())
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:12]


def never_changes(_path: str, _url: str) -> bool:
    """To whitenoise: everything below STATIC_URL, whose version is in the address."""
    return True

"""The version of this installation, as it introduces itself to others."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("groupx")
except PackageNotFoundError:  # run from a copy of the sources that was never installed
    VERSION = "unknown"

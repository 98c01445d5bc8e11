"""A fresh checkout gets the packages that were tested: pyproject.toml pins them, the pins are what is installed."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
PINS = [
    re.fullmatch(r"([a-z0-9-]+)==([0-9][\w.]*)(?: ; .*)?", pin)
    for pin in PROJECT["tool"]["uv"]["constraint-dependencies"]
]
DIRECT = [
    re.split(r"[<>=~!\[ ]", wanted, maxsplit=1)[0]
    for wanted in (*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"])
]


def test_a_pin_is_a_name_and_one_version():
    assert all(PINS)


@pytest.mark.parametrize("name", DIRECT)
def test_what_we_ask_for_is_pinned_to_what_is_installed(name: str):
    assert [pin[2] for pin in PINS if pin is not None and pin[1] == name] == [version(name)]

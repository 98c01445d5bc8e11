"""Every error code has its row in the one table and its line in docs/errors.md."""

from pathlib import Path

import pytest

from groupx.kernel.errors import ErrorCode
from groupx.kernel.problems import PROBLEMS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("code", list(ErrorCode))
def test_every_code_has_a_status_and_is_documented(code):
    assert 400 <= PROBLEMS[code].http_status < 600
    assert f"`{code}`" in (DOCS / "errors.md").read_text()


def test_no_code_means_a_server_error_of_unknown_kind():
    assert 500 not in {problem.http_status for problem in PROBLEMS.values()}

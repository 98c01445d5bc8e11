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


def test_only_a_fault_of_ours_is_a_500():
    assert [code for code, problem in PROBLEMS.items() if problem.http_status == 500] == [ErrorCode.INTERNAL_ERROR]

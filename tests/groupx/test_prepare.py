"""What a start writes before its first child (groupx/start.py, docs/errors.md "In a terminal"). Our contract."""

from pathlib import Path

import pytest

from groupx import run_files
from groupx.kernel.config_file import parse_config
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.start import Timing, prepare


@pytest.mark.parametrize("file", ["secret_key", "run/secret", "run/config.json"])
def test_a_file_that_cannot_be_written_refuses_the_start_in_words(tmp_path: Path, file: str):
    run = parse_config({"agents": {}}, tmp_path / "groupx.json", frozenset())
    run_files.make_private_folder(run.state_dir)
    run_files.make_private_folder(run.run_dir)
    (run.state_dir / file).mkdir()  # stands for a full or read-only disk, which root may write all the same

    with pytest.raises(GroupXError) as refused:
        prepare(run, Timing())

    assert refused.value.code is ErrorCode.START_FAILED
    assert str(run.state_dir) in refused.value.message
    assert not list(run.state_dir.rglob(".*")), "half a file is left"

"""docs/drivers.md says of the real CLIs what live runs have recorded, nothing else."""

from adapters.registry import driver_for
from tests.live.capabilities import Capability
from tests.live.report import DOCS, rendered
from tests.live.results import Result, recorded


def test_the_table_of_verified_clis_is_the_recorded_one():
    text = DOCS.read_text()
    assert text == rendered(text, recorded()), "run `python -m tests.live.report --render`"


def test_what_is_recorded_is_of_known_drivers_and_has_reasons():
    for driver, found in recorded().items():
        assert driver_for(driver) and found["version"] and found["date"]
        for name, shown in found["capabilities"].items():
            assert Capability(name)
            assert (Result(shown["result"]) is Result.VERIFIED) != bool(shown.get("reason"))

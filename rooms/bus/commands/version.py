"""`aig version`: of GroupX, which it is a part of."""

from importlib.metadata import PackageNotFoundError, version

from rooms.bus.arguments import Parser
from rooms.bus.call import Call


def add_arguments(parser: Parser) -> None:
    pass


def run(call: Call) -> None:
    try:
        number = version("groupx")
    except PackageNotFoundError:
        number = "unknown"
    if call.out.is_json:
        call.out.record({"version": number})
    else:
        call.out.text(f"aig of GroupX {number}")

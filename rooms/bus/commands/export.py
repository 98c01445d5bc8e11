"""`aig export`: the room to standard output, every message as it was written, or Markdown to read."""

from rooms.bus import log
from rooms.bus.arguments import Parser
from rooms.bus.call import Call
from rooms.bus.markdown import head, section


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--format", choices=["jsonl", "md"], default="jsonl")


def run(call: Call) -> None:
    call.look()
    is_markdown, skipped = call.options.format == "md", 0
    if is_markdown:
        call.out.text(head(call.room.name))
    for message in log.messages_and_gaps(call.room.log):
        if message is None:
            skipped += 1
        else:
            call.out.text(section(message) if is_markdown else message.line)
    if skipped:
        call.out.note(f"{skipped} lines of {call.room.log} are no messages and were left out.")

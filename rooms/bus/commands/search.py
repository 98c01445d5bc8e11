"""`aig search`: messages that contain all words, wherever and however they are written."""

from rooms.bus import log
from rooms.bus.arguments import Parser
from rooms.bus.call import Call
from rooms.bus.commands.read import show


def add_arguments(parser: Parser) -> None:
    parser.add_argument("words", nargs="+", metavar="WORD")


def run(call: Call) -> None:
    call.look()
    words = " ".join(call.options.words).casefold().split()
    found = (
        message
        for message in log.messages(call.room.log)
        if all(word in text for text in [message.text.casefold()] for word in words)
    )
    if not show(call, found) and not call.out.is_json:
        call.out.note(f"No message in room {call.room.name} has {'all these words' if len(words) > 1 else 'it'}.")

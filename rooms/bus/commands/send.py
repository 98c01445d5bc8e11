"""`aig send`: append a message."""

from pathlib import Path

from rooms.bus import log
from rooms.bus.append import append
from rooms.bus.arguments import Parser, receivers, words
from rooms.bus.call import Call
from rooms.bus.errors import UsageError
from rooms.bus.joining import join
from rooms.bus.message import Draft

MAX_SEQ_DIGITS = 16


def add_arguments(parser: Parser) -> None:
    parser.add_argument("text", nargs="*", metavar="TEXT", help="the message; - reads it from standard input")
    parser.add_argument("--to", type=receivers, default=[], metavar="A,B", help="members it is for; without, everybody")
    parser.add_argument("--reply-to", metavar="ID", help="the message that this answers: its id, or its seq")
    parser.add_argument("--tag", action="append", default=[], metavar="T", dest="tags")
    parser.add_argument(
        "--file", action="append", default=[], type=Path, metavar="PATH", dest="files", help="send a copy of it along"
    )


def run(call: Call) -> None:
    options = call.options
    text = words(options.text)
    if not text.strip() and not options.files:
        raise UsageError("There is nothing to send: give a text, - for standard input, or --file.")
    reply_to = replied_to(call, options.reply_to) if options.reply_to is not None else None
    join(call)
    draft = Draft(call.me, text, options.to, reply_to=reply_to, tags=options.tags)
    message = append(call.room, draft, options.files)
    if call.out.is_json:
        call.out.text(message.line)
    else:
        call.out.text(f"[{message.seq}] {message.id} → {', '.join(message.to) or 'all'}")


def replied_to(call: Call, given: str) -> str:
    """The id of the message that is meant.

    Raises:
        UsageError: there is no message with this seq.
    """
    number = given.removeprefix("[").removesuffix("]")  # as messages are shown
    if not (number.isascii() and number.isdecimal() and len(number) <= MAX_SEQ_DIGITS):
        if not given.strip():
            raise UsageError("--reply-to wants the id or the seq of a message.")
        return given
    seq = int(number)
    found = next((message for message in log.newer_than(call.room.log, seq - 1) if message.seq == seq), None)
    if found is None or not found.id:
        raise UsageError(f"There is no message [{number}] in room {call.room.name} to reply to.")
    return found.id

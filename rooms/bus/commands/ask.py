"""`aig ask`: send a question to a member, wake it, show its answer."""

from rooms.bus.arguments import Parser, words
from rooms.bus.call import Call
from rooms.bus.commands.wake import add_waking_arguments, waking_of
from rooms.bus.errors import UsageError
from rooms.bus.folder import member_name
from rooms.bus.joining import join
from rooms.bus.terminal import visible
from rooms.bus.wake import ask


def add_arguments(parser: Parser) -> None:
    parser.add_argument("member", type=member_name, metavar="MEMBER", help="whom to ask")
    parser.add_argument("text", nargs="*", metavar="TEXT", help="the question; - reads it from standard input")
    add_waking_arguments(parser)


def run(call: Call) -> None:
    waking = waking_of(call)
    text = words(call.options.text)
    if not text.strip():
        raise UsageError("There is nothing to ask: give a text, or - for standard input.")
    join(call)
    reply = ask(waking, sender=call.me, text=text)
    if reply is None:
        call.out.note(f"{waking.member} has read the question without being woken; `aig wait` shows what it says.")
    elif call.out.is_json:
        call.out.message(reply, call.room)
    else:
        call.out.text(visible(reply.text))

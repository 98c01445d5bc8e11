"""`aig member <name>`: show, change or remove one entry of members.json."""

from pathlib import Path

from adapters.headless.channels import CHANNELS
from rooms.bus.arguments import Parser
from rooms.bus.call import Call
from rooms.bus.errors import UsageError
from rooms.bus.folder import member_name, printable
from rooms.bus.joining import join
from rooms.bus.members import PRIMARY, Profile, change, profiles, remove

FIELDS = ("transport", "model", "note", "role", "cwd")


def add_arguments(parser: Parser) -> None:
    parser.add_argument("name", type=member_name)
    parser.add_argument("--transport", metavar="T", help="how it is woken: `aig doctor` lists the ways")
    parser.add_argument("--model", metavar="M")
    parser.add_argument("--note", metavar="N", help="what it should know about itself")
    parser.add_argument("--role", choices=[PRIMARY, ""], help="primary may wake others while it is woken itself")
    parser.add_argument("--cwd", metavar="DIR", help="where its CLI runs")
    parser.add_argument("--remove", action="store_true", help="forget it; an empty value forgets one field")


def run(call: Call) -> None:
    """
    Raises:
        UsageError: there is no such member to show or remove, or both at once were asked for.
    """
    options, name = call.options, call.options.name
    fields = {field: getattr(options, field) for field in FIELDS if getattr(options, field) is not None}
    if fields.get("cwd"):
        try:
            fields["cwd"] = str(Path(fields["cwd"]).expanduser().absolute())
        except RuntimeError:
            raise UsageError(f"There is no folder {printable(fields['cwd'])}: nobody here has that home.") from None
    if options.remove and fields:
        raise UsageError("--remove forgets the whole member: give it alone.")
    if fields:
        join(call)
        if fields.get("transport", "") not in ("", *CHANNELS):
            call.out.note(
                f"There is no channel “{printable(fields['transport'])}” here; there are {', '.join(CHANNELS)}."
            )
        _show(call, name, change(call.room, name, fields))
        return
    call.look()
    profile = profiles(call.room).get(name)
    if profile is None or (options.remove and not remove(call.room, name)):
        raise UsageError(f"Room {call.room.name} has no member {name}; `aig member {name} --transport …` makes it.")
    if not options.remove:
        _show(call, name, profile)
    elif call.out.is_json:
        call.out.record({"member": name, "removed": True})
    else:
        call.out.text(f"Removed {name} from room {call.room.name}.")


def _show(call: Call, name: str, profile: Profile) -> None:
    if call.out.is_json:
        call.out.record({"member": name, **profile})
    else:
        call.out.text(name)
        call.out.table([(f"  {field}", printable(str(value))) for field, value in profile.items()] or [("  –",)])

"""Waking a member: its CLI is run once with what waits for it, and its answer is posted for it (docs/aig.md, "Waking").

The cursor moves after the answer is in the log. An answer says through which seq it has read (`meta.throughSeq`), so a
crash in between is mended at the next wake, and nobody is run twice for the same messages.
"""

import os
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from adapters.headless.channels import CHANNELS
from adapters.headless.contract import Answer, ChannelFailed, Task
from adapters.headless.output import plain
from rooms.bus import environment, log
from rooms.bus.append import append
from rooms.bus.cursors import advance, cursor_of, unread
from rooms.bus.errors import Guarded, UsageError, WakeFailed
from rooms.bus.folder import Room
from rooms.bus.guards import Chain, chain_of, why_chain_ends, why_not_wakeable
from rooms.bus.members import Profile, primary_of, profiles
from rooms.bus.message import Draft, Message
from rooms.bus.prompt import Briefing, Prompt, Quoted, build_prompt
from rooms.bus.wake_lock import GRACE_SECONDS, WakeLock


class Waking(NamedTuple):
    """One wake that the guards allow."""

    room: Room
    member: str
    known: Mapping[str, Profile]
    chain: Chain
    timeout_seconds: float
    env: Mapping[str, str]

    @property
    def profile(self) -> Profile:
        return self.known[self.member]


def allowed_waking(
    room: Room, member: str, *, caller: str, timeout_seconds: float, is_forced: bool, env: Mapping[str, str]
) -> Waking:
    """
    Raises:
        UsageError: a variable of the environment is no number.
        Guarded: nobody may be woken from here.
        WakeFailed: the member cannot be woken.
    """
    try:
        chain = chain_of(env)
    except ValueError as error:
        raise UsageError(str(error)) from None
    known = profiles(room)
    if sentence := why_chain_ends(chain, caller_is_primary=caller == primary_of(known), is_forced=is_forced):
        raise Guarded(sentence)
    profile = known.get(member, {})
    sentence = why_not_wakeable(
        member,
        is_member=member in known,
        transport=_text(profile, "transport"),
        has_command=bool(_command(profile)),
        channels=frozenset(CHANNELS),
    )
    if sentence:
        raise WakeFailed(sentence)
    return Waking(room, member, known, chain, timeout_seconds, env)


def wake(waking: Waking) -> Message | None:
    """Run the member once for what waits for it; gives its reply, None when nothing waits.

    Raises:
        WakeFailed: it gave no answer; the room was told, what waits still waits.
    """
    room, member = waking.room, waking.member
    with WakeLock(room, member, waking.timeout_seconds + GRACE_SECONDS):
        _mend_cursor(room, member)
        waiting = unread(room, member)
        if not waiting:
            return None
        prompt = _prompt(waking, waiting)
        return _run(waking, prompt, waiting[: prompt.taken])


def ask(waking: Waking, *, sender: str, text: str) -> Message | None:
    """Write the question, then wake the member until its reply has come; None when it read it without being woken.

    Raises:
        WakeFailed: as `wake`; the question stands in the room.
    """
    question = append(waking.room, Draft(sender, text, to=[waking.member], kind="ask"))
    while (reply := wake(waking)) is not None:
        if _through_seq(reply) >= question.seq:
            return reply
    return answer_to(waking.room, waking.member, question)


def answer_to(room: Room, member: str, question: Message) -> Message | None:
    """The reply of the wake that had this question in its prompt."""
    for message in log.newer_than(room.log, question.seq):
        if _is_reply_of(message, member) and (message.reply_to == question.id or _through_seq(message) >= question.seq):
            return message
    return None


# ------------------------------------------------------------ one run
def _run(waking: Waking, prompt: Prompt, batch: list[Message]) -> Message:
    asks = [message for message in batch if message.kind == "ask"]
    answered = (asks or batch)[-1]
    to = [asks[-1].sender] if asks and asks[-1].sender else []  # who does not say who asks, asks before all
    begun = time.monotonic()

    def post(kind: Any, text: str, **more: Any) -> Message:
        meta = {
            "channel": _text(waking.profile, "transport"),
            **({"model": model} if (model := _text(waking.profile, "model")) else {}),
            "durationMs": round((time.monotonic() - begun) * 1000),
            "throughSeq": batch[-1].seq,
            **{name: value for name, value in more.items() if value is not None},
        }
        draft = Draft(waking.member, text, to=to, kind=kind, via="dispatch", reply_to=answered.id or None, meta=meta)
        return append(waking.room, draft)

    try:
        answer = _answer(waking, prompt)
    except ChannelFailed as error:
        post("dispatch-error", "\n".join([error.reason, plain(error.output)]).rstrip())
        raise WakeFailed(f"“{waking.member}” gave no answer: {error.reason} The room was told.") from None
    except BaseException:  # Ctrl-C, TERM: nothing fails silently
        post("dispatch-error", f"The wake of {waking.member} was stopped before it had answered.")
        raise
    reply = post("reply", answer.text, cost=answer.cost, tokens=answer.tokens)
    advance(waking.room, waking.member, batch[-1].seq)
    return reply


def _answer(waking: Waking, prompt: Prompt) -> Answer:
    profile = waking.profile
    cwd = _text(profile, "cwd")
    raw_folder = waking.env.get(environment.DEBUG_RAW)
    task = Task(
        prompt=prompt.text,
        cwd=_folder(cwd) if cwd else Path.cwd(),
        env=_environment(waking),
        model=_text(profile, "model") or None,
        command=_command(profile),
        timeout_seconds=waking.timeout_seconds,
        raw_folder=_folder(raw_folder) if raw_folder else None,
        label=f"{waking.room.name}-{waking.member}",
    )
    return CHANNELS[_text(profile, "transport")].run(task)


def _prompt(waking: Waking, waiting: list[Message]) -> Prompt:
    room, chain = waking.room, waking.chain
    others = (name for name, profile in waking.known.items() if name != waking.member and _text(profile, "transport"))
    briefing = Briefing(
        room=room.name,
        member=waking.member,
        note=_text(waking.profile, "note"),
        is_primary=waking.member == primary_of(waking.known),
        others=tuple(others),
        depth=chain.depth + 1,
        max_depth=chain.max_depth,
        mark=os.urandom(8).hex(),
    )
    quoted = [
        Quoted(
            id=message.id,
            seq=message.seq,
            time=message.time,
            sender=message.sender,
            to=message.to,
            kind=message.kind,
            text=message.text,
            files=tuple(str(room.path.absolute() / file) for file in message.files),
        )
        for message in waiting
    ]
    return build_prompt(briefing, quoted, CHANNELS[_text(waking.profile, "transport")].prompt_bytes)


def _environment(waking: Waking) -> dict[str, str]:
    """What the member's process is given: its place in the bus, and `aig` on its path."""
    env = {
        **waking.env,
        **waking.chain.next_environment(),
        environment.HOME: str(waking.room.home.absolute()),
        environment.ROOM: waking.room.name,
        environment.MEMBER: waking.member,
    }
    beside = Path(sys.executable).parent
    if shutil.which("aig", path=env.get("PATH")) is None and (beside / "aig").is_file():
        env["PATH"] = os.pathsep.join([*filter(None, [env.get("PATH")]), str(beside)])
    return env


# ------------------------------------------------------------ what the log says of earlier wakes
def _mend_cursor(room: Room, member: str) -> None:
    newer = log.newer_than(room.log, cursor_of(room, member).seq)
    answered = [_through_seq(message) for message in newer if _is_reply_of(message, member)]
    if answered:
        advance(room, member, max(answered))


def _is_reply_of(message: Message, member: str) -> bool:
    return message.sender == member and message.kind == "reply" and message.via == "dispatch"


def _through_seq(message: Message) -> int:
    """0 where another implementation has written it."""
    seq = message.meta.get("throughSeq")
    return seq if type(seq) is int and seq < message.seq else 0


def _folder(text: str) -> Path:
    """What begins with the home of nobody stays as it is: there will be no such folder."""
    return Path(os.path.expanduser(text)).absolute()  # noqa: PTH111  pathlib raises there


def _text(profile: Profile, name: str) -> str:
    value = profile.get(name)
    return value if isinstance(value, str) else ""


def _command(profile: Profile) -> tuple[str, ...]:
    value = profile.get("command")
    if not isinstance(value, list) or not all(isinstance(part, str) and part for part in value):
        return ()
    return tuple(value)

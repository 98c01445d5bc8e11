"""`aig wake` and `aig ask` with CLIs that answer in each real one's shape (docs/aig.md, "Waking", "Channels")."""

import json
import re
import sys

import pytest

from tests.bus.waking import EXECUTABLES, Waking

TOKENS = {"input": 11, "output": 7, "cacheRead": 3}
SUMS = {"input": 22, "output": 14, "reasoning": 0, "cacheRead": 0, "cacheWrite": 0, "total": 36}
ARGV = {
    "opencode": ["run", "--format", "json"],
    "workbuddy": ["-p", "--output-format", "json"],
    "dsh": ["--profile", "headless", ...],
    "codex": ["exec", "--json", "--skip-git-repo-check", "-"],
    "claude": ["-p", "--output-format", "json"],
    "kimi": ["--output-format", "stream-json", "-p", ...],
    "gemini": ["--skip-trust", "--output-format", "json"],
    "qwen": ["--output-format", "json"],
}
META = {
    "opencode": {"cost": 0.75, "tokens": SUMS},
    "workbuddy": {"cost": 0.25, "tokens": TOKENS},
    "dsh": {},
    "codex": {"tokens": TOKENS},
    "claude": {"cost": 0.25, "tokens": TOKENS},
    "kimi": {},
    "gemini": {"tokens": {**TOKENS, "reasoning": 0, "total": 18}},
    "qwen": {"cost": 0.25, "tokens": TOKENS},
}


@pytest.mark.parametrize("transport", EXECUTABLES)
def test_each_channel_gets_the_prompt_and_gives_the_answer(waking: Waking, transport):
    waking.member(transport)
    waking.plan(answer="It works.\n\n- and it has\n- two lines")

    assert waking.aig.ok("ask", transport, "Does it work?").endswith("It works.\n\n- and it has\n- two lines\n")

    [call] = waking.calls
    question, reply = waking.aig.log()
    given = [part if part is not ... else call["argv"][-1] for part in ARGV[transport]]
    assert (call["name"], call["argv"]) == (EXECUTABLES[transport], given)
    prompt = call["argv"][-1] if ... in ARGV[transport] else call["stdin"]
    assert "Does it work?" in prompt and question["id"] in prompt
    assert (question["kind"], question["from"], question["to"]) == ("ask", "human", [transport])
    assert (reply["kind"], reply["via"], reply["from"], reply["to"]) == ("reply", "dispatch", transport, ["human"])
    assert reply["reply_to"] == question["id"]
    meta = reply["meta"]
    assert (meta.pop("channel"), meta.pop("durationMs") >= 0, meta.pop("throughSeq")) == (transport, True, 1)
    assert meta == META[transport]
    assert waking.aig.cursor(transport) == question["seq"]


@pytest.mark.parametrize("transport", [name for name in EXECUTABLES if name != "dsh"])
def test_a_member_s_model_is_handed_on(waking: Waking, transport):
    waking.member(transport, model="maker/model-1")
    waking.aig.ok("ask", transport, "Hello?")
    argv = waking.calls[0]["argv"]
    assert argv[argv.index("--model") + 1] == "maker/model-1"
    assert waking.aig.log()[1]["meta"]["model"] == "maker/model-1"


@pytest.mark.parametrize("transport", [name for name in EXECUTABLES if name not in ("dsh", "kimi")])
def test_an_error_that_a_cli_reports_is_told_to_the_room(waking: Waking, transport):
    waking.member(transport)
    waking.plan(error="The model is on strike.", exit=0 if transport == "workbuddy" else 1)

    assert "on strike" in waking.aig.refused("ask", transport, "Hello?", code=4)

    question, failure = waking.aig.log()
    assert (failure["kind"], failure["from"], failure["to"]) == ("dispatch-error", transport, ["human"])
    assert failure["text"] == f"{transport} reports an error: The model is on strike."
    assert failure["reply_to"] == question["id"]
    assert waking.aig.cursor(transport) == 0, "what it did not answer is still unread"


def test_the_last_words_on_standard_error_stand_in_the_failure(waking: Waking):
    waking.member("kimi")
    waking.plan(error="reason: out of quota", exit=1)
    waking.aig.refused("ask", "kimi", "Hello?", code=4)
    assert waking.aig.log()[1]["text"] == "kimi ended with exit code 1.\nreason: out of quota"


def test_a_flood_on_standard_error_neither_blocks_nor_fills_the_room(waking: Waking):
    waking.member("codex")
    waking.plan(stderr=5_000_000, answer="Still here.")
    assert waking.aig.ok("ask", "codex", "Hello?") == "Still here.\n"
    waking.plan(stderr=5_000_000, answer="No.", exit=3)
    waking.aig.refused("ask", "codex", "Hello?", code=4)
    assert waking.aig.log()[-1]["text"] == "codex ended with exit code 3.\n" + "x" * 2_000


@pytest.mark.parametrize("transport", [name for name in EXECUTABLES if name != "opencode"])
def test_an_empty_answer_is_a_failure(waking: Waking, transport):
    waking.member(transport)
    waking.plan(answer="  \n")
    assert "empty answer" in waking.aig.refused("ask", transport, "Hello?", code=4)
    assert waking.aig.log()[1]["kind"] == "dispatch-error"


def test_events_without_text_are_an_empty_answer_and_not_an_answer_in_json(waking: Waking):
    waking.member("opencode")
    waking.plan(raw='{"type":"step_start","part":{}}\n{"type":"step_finish","part":{"reason":"stop"}}\n')
    assert "empty answer" in waking.aig.refused("ask", "opencode", "Hello?", code=4)


@pytest.mark.parametrize("transport", ["opencode", "workbuddy", "codex", "gemini"])
def test_output_that_is_no_json_is_cleaned_and_taken(waking: Waking, transport):
    waking.member(transport)
    waking.plan(raw="\x1b[2m> build · a-model\x1b[0m\n\n\x1b[1mPlain\x1b[0m words,\n> and a quote.\n\n")
    assert waking.aig.ok("ask", transport, "Hello?") == "Plain words,\n> and a quote.\n"


def test_a_torn_line_between_events_costs_only_itself(waking: Waking):
    waking.member("codex")
    said = {"type": "item.completed", "item": {"type": "agent_message", "text": "Here."}}
    waking.plan(raw='warning: {"odd\n{"type": "item.comp\n' + json.dumps(said) + "\n")
    assert waking.aig.ok("ask", "codex", "Hello?") == "Here.\n"


# ---------------------------------------------------------------- what a woken member is given
def test_a_member_works_in_its_folder_and_knows_its_place(waking: Waking):
    work = waking.folder / "work"
    work.mkdir()
    waking.member("dsh", cwd=str(work))
    waking.aig.ok("ask", "dsh", "Where are you?")
    [call] = waking.calls
    env = call["env"]
    assert call["cwd"] == str(work)
    assert (env["AIGROUP_DEPTH"], env["AIGROUP_NO_WAKE"], env["AIGROUP_ROOM"], env["AIGROUP_MEMBER"]) == (
        "1", "1", "main", "dsh",
    )  # fmt: skip
    assert env["AIGROUP_HOME"] == str(waking.aig.home)
    assert env["DSH_PERMISSION_MODE"] == "danger-full-access"
    waking.aig.ok("ask", "dsh", "And now?", AIGROUP_DSH_PERMISSION_MODE="workspace-write", AIGROUP_DEPTH="1")
    assert waking.calls[1]["env"]["DSH_PERMISSION_MODE"] == "workspace-write"
    assert waking.calls[1]["env"]["AIGROUP_DEPTH"] == "2"


def test_a_folder_that_is_missing_is_told_and_nothing_is_run(waking: Waking):
    waking.member("codex", cwd=str(waking.folder / "gone"))
    assert "gone does not exist" in waking.aig.refused("ask", "codex", "Hello?", code=4)
    assert waking.calls == [] and waking.aig.log()[1]["kind"] == "dispatch-error"


def test_a_program_that_is_missing_is_told(waking: Waking):
    waking.member("codex")
    (waking.bin / "codex").unlink()
    assert "“codex” was not found" in waking.aig.refused("ask", "codex", "Hello?", code=4)
    assert waking.aig.log()[1]["kind"] == "dispatch-error"


def test_a_command_of_one_s_own_reads_the_prompt_and_prints_the_answer(waking: Waking):
    code = "import sys; print('>', len(sys.stdin.read()) > 100, sys.argv[1])"
    waking.member("mine", "command", command=[sys.executable, "-c", code, "two words; $HOME"])
    assert waking.aig.ok("ask", "mine", "Hello?") == "> True two words; $HOME\n"


def test_nothing_unread_runs_nothing(waking: Waking):
    waking.member("codex")
    ended = waking.aig("wake", "codex")
    assert (ended.code, ended.out, waking.calls) == (0, "", [])
    assert "Nothing is unread for codex" in ended.err
    waking.aig.ok("send", "--to", "dsh", "not for you")
    waking.aig.ok("send", "--as", "codex", "my own")
    assert waking.aig("wake", "codex").code == 0 and waking.calls == []


def test_a_wake_takes_all_that_is_unread_and_answers_the_newest(waking: Waking):
    waking.member("codex")
    for text in ("one", "two", "three"):
        waking.aig.ok("send", text)
    waking.aig.ok("wake", "codex")
    reply = waking.aig.log()[-1]
    assert reply["to"] == [] and reply["reply_to"] == waking.aig.log()[2]["id"]
    assert waking.aig.cursor("codex") == 3
    assert [waking.calls[0]["stdin"].count(f"\n{text}\n") for text in ("one", "two", "three")] == [1, 1, 1]
    waking.aig.ok("send", "--as", "dsh", "--to", "codex", "chat")
    waking.aig.ok("wake", "codex")
    assert waking.aig.log()[-1]["to"] == []


def test_the_newest_ask_is_answered_before_newer_chat(waking: Waking):
    waking.member("codex")
    waking.plan(answer="", exit=0)
    waking.aig("ask", "--as", "dsh", "codex", "a question")  # fails; it still waits
    waking.aig.ok("send", "chat afterwards")
    waking.plan(answer="Answered.")
    waking.aig.ok("wake", "codex")
    reply = waking.aig.log()[-1]
    assert (reply["to"], reply["reply_to"]) == (["dsh"], waking.aig.log()[0]["id"])
    assert waking.aig.cursor("codex") == 3


def test_json_gives_the_whole_reply(waking: Waking):
    waking.member("codex")
    [reply] = waking.aig.records("ask", "codex", "Hello?")
    assert reply == waking.aig.log()[1]
    waking.aig.ok("send", "more")
    [reply] = waking.aig.records("wake", "codex")
    assert reply == waking.aig.log()[-1]


def test_an_answer_cannot_command_the_terminal_of_who_asked(waking: Waking):
    waking.member("codex")
    waking.plan(answer="\x1b]0;owned\x07 fine\x1b[2J")
    assert waking.aig.ok("ask", "codex", "Hello?") == "\ufffd]0;owned\ufffd fine\ufffd[2J\n"


def test_text_of_a_question_may_come_on_standard_input(waking: Waking):
    waking.member("codex")
    waking.aig.ok("ask", "codex", "-", stdin=b"from a pipe\n")
    assert waking.aig.log()[0]["text"] == "from a pipe"
    waking.aig.refused("ask", "codex", "  ", code=2)
    assert len(waking.aig.log()) == 2


def test_raw_output_and_arguments_are_kept_where_debugging_wants_them(waking: Waking):
    waking.member("dsh")
    raw = waking.folder / "raw"
    waking.aig.ok("ask", "dsh", "Hello?", AIGROUP_DEBUG_RAW=str(raw))
    by_ending = {path.name.partition(".")[2]: path for path in raw.iterdir()}
    assert by_ending.keys() == {"argv.json", "stdout", "stderr"}
    argv = json.loads(by_ending["argv.json"].read_text())
    assert argv[0].endswith("/dsh") and argv[1:3] == ["--profile", "headless"] and "Hello?" in argv[3]
    assert by_ending["stdout"].read_text() == "\x1b[1mIt works.\x1b[0m\n\n"
    assert {path.stat().st_mode & 0o777 for path in by_ending.values()} == {0o600}
    assert all(re.fullmatch(r"[\w.-]+", path.name) for path in raw.iterdir())


def test_halves_of_characters_and_odd_numbers_lose_no_answer(waking: Waking):
    waking.member("claude", model="m\ud83d")
    (waking.aig.room() / "messages.jsonl").write_text(
        '{"seq":1,"id":"m1\\ud83d","from":"b\\ud83d","kind":"ask","text":"half \\ud83d"}\n'
    )
    usage = {"input_tokens": float("inf"), "output_tokens": 10**400, "cache_read_input_tokens": 3}
    result = {"type": "result", "result": "an answer \ud83d", "total_cost_usd": float("nan"), "usage": usage}
    waking.plan(raw=json.dumps(result))
    waking.aig.ok("wake", "claude")
    reply = waking.aig.log()[-1]
    assert (reply["kind"], reply["text"], reply["to"]) == ("reply", "an answer \ufffd", ["b\ufffd"])
    assert reply["meta"]["tokens"] == {"cacheRead": 3} and "cost" not in reply["meta"]


def test_who_asks_without_a_name_is_answered_before_all(waking: Waking):
    waking.member("codex")
    (waking.aig.room() / "messages.jsonl").write_text('{"seq":1,"kind":"ask","text":"who am I?"}\n')
    waking.aig.ok("wake", "codex")
    assert waking.aig.log()[-1]["to"] == []

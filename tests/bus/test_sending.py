"""`aig send` (docs/aig.md, "Messages"): what stands in the log afterwards, and what is refused."""

import json
import re

import pytest

FIELDS = [
    "id", "seq", "ts", "time", "room", "from", "to", "kind", "via", "reply_to", "tags", "files", "text", "meta",
]  # fmt: skip


def test_a_message_has_all_fields_in_their_order(aig):
    aig.ok("send", "hello", "--as", "codex", "--to", "human", "--tag", "a", "--tag", "b")
    (sent,) = aig.log()
    assert list(sent) == FIELDS
    assert (sent["seq"], sent["room"], sent["from"], sent["to"], sent["kind"], sent["via"]) == (
        1, "main", "codex", ["human"], "chat", "cli",
    )  # fmt: skip
    assert (sent["reply_to"], sent["tags"], sent["files"], sent["text"], sent["meta"]) == (
        None,
        ["a", "b"],
        [],
        "hello",
        {},
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", sent["time"])
    assert sent["time"].endswith(f".{sent['ts'] % 1000:03}Z")


def test_an_id_tells_seq_and_time(aig):
    (sent,) = aig.records("send", "hello")
    seq, milliseconds, random = re.fullmatch(r"m(\d{4})-([0-9a-z]+)-([0-9a-z]{4})", sent["id"]).groups()
    assert (int(seq), int(milliseconds, 36), len(random)) == (sent["seq"], sent["ts"], 4)


def test_id_and_seq_are_printed(aig):
    printed = aig.ok("send", "hello")
    (sent,) = aig.log()
    assert sent["id"] in printed and "[1]" in printed


def test_state_counts_on(aig):
    aig.ok("send", "one")
    before = json.loads((aig.room() / "state.json").read_text())
    aig.ok("send", "two")
    after = json.loads((aig.room() / "state.json").read_text())
    assert (before["nextSeq"], after["nextSeq"]) == (2, 3)
    assert after["createdAt"] == before["createdAt"] <= after["updatedAt"]


@pytest.mark.parametrize(
    ("to", "stored"), [("bob, eva,bob", ["bob", "eva"]), ("*", []), ("all", []), ("bob,all", []), ("bob,*", [])]
)
def test_receivers_are_stored_once_and_everybody_as_nobody(aig, to, stored):
    aig.ok("send", "hello", "--to", to)
    assert aig.log()[0]["to"] == stored


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (b"two\nlines\n", "two\nlines"),
        (b"kept\n\n", "kept\n"),
        ("你好 🎉\r\n".encode(), "你好 🎉"),
        (b"\xff broken", "\N{REPLACEMENT CHARACTER} broken"),
        (b"  indented", "  indented"),
    ],
)
def test_a_text_may_come_on_standard_input_and_loses_one_line_end(aig, given, text):
    aig.ok("send", "-", stdin=given)
    assert aig.log()[0]["text"] == text


def test_several_words_are_one_text_and_options_may_stand_between(aig):
    aig.ok("send", "hello", "--to", "bob", "you", "there")
    assert (aig.log()[0]["text"], aig.log()[0]["to"]) == ("hello you there", ["bob"])


@pytest.mark.parametrize("text", ["-", "--", "--to", "$(reboot)", '"quoted"\\n', "a\u2028b\x85c", "\x1b[31mred"])
def test_any_text_is_kept_as_it_is(aig, text):
    aig.ok("send", "-", stdin=text.encode())
    assert aig.log()[0]["text"] == text


def test_a_text_that_looks_like_an_option_stands_behind_two_dashes(aig):
    aig.ok("send", "--", "--to be or not to be")
    assert aig.log()[0]["text"] == "--to be or not to be"


def test_an_argument_that_is_no_utf8_is_sent_with_a_mark_in_its_place(aig):
    aig.ok("send", "caf\udce9")
    assert aig.log()[0]["text"] == "caf\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("arguments", [[], [""], ["  "], ["-"], ["hello", "--to", ""], ["hello", "--to", "a,,b"]])
def test_nothing_to_say_or_nobody_named_is_refused(aig, arguments):
    aig.refused("send", *arguments)
    assert not aig.home.exists()


# ---------------------------------------------------------------- replies
def test_a_reply_names_an_id_or_a_seq(aig):
    (first,) = aig.records("send", "question")
    aig.ok("send", "by id", "--reply-to", first["id"])
    aig.ok("send", "by seq", "--reply-to", "1")
    assert [message["reply_to"] for message in aig.log()] == [None, first["id"], first["id"]]


def test_a_reply_to_a_seq_that_is_not_there_is_refused(aig):
    aig.ok("send", "question")
    assert "[7]" in aig.refused("send", "answer", "--reply-to", "7")
    assert len(aig.log()) == 1


# ---------------------------------------------------------------- files
def test_files_are_copied_under_the_id_of_the_message(aig, tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    for folder in ("one", "two"):
        (tmp_path / folder / "my notes.txt").write_text(folder)
    (sent,) = aig.records(
        "send", "see", "--file", tmp_path / "one/my notes.txt", "--file", tmp_path / "two/my notes.txt"
    )
    assert sent["files"] == [f"files/{sent['id']}-my_notes.txt", f"files/{sent['id']}-my_notes-2.txt"]
    assert [(aig.room() / file).read_text() for file in sent["files"]] == ["one", "two"]
    assert len(list((aig.room() / "files").iterdir())) == 2


def test_a_file_needs_no_text(aig, tmp_path):
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\0\r\n")
    (sent,) = aig.records("send", "--file", tmp_path / "picture.png")
    assert sent["text"] == "" and (aig.room() / sent["files"][0]).read_bytes() == b"\x89PNG\0\r\n"


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("..", "file"),
        (".bashrc", ".bashrc"),
        ("a\nb.txt", "a_b.txt"),
        ("報告 v2.pdf", "報告_v2.pdf"),
        ("x" * 200 + ".log", "x" * 40 + ".log"),
        (";rm -rf ~", "_rm_-rf__"),
    ],
)
def test_a_stored_name_is_safe(aig, tmp_path, name, stored):
    from_here = tmp_path / ("plain" if name == ".." else name)
    from_here.write_text("x")
    (sent,) = aig.records("send", "--file", from_here)
    assert sent["files"] == [f"files/{sent['id']}-{stored if name != '..' else 'plain'}"]


def test_a_missing_file_sends_nothing(aig, tmp_path):
    (tmp_path / "there.txt").write_text("x")
    aig.ok("send", "before")
    error = aig.refused("send", "see", "--file", tmp_path / "there.txt", "--file", tmp_path / "missing.txt")
    assert "missing.txt" in error
    assert len(aig.log()) == 1 and not (aig.room() / "files").exists()


def test_a_folder_is_no_file(aig, tmp_path):
    assert "not a plain file" in aig.refused("send", "see", "--file", tmp_path)


@pytest.mark.parametrize("given", ["1", "[1]"])
def test_a_message_is_replied_to_by_its_number_also_as_it_is_shown(aig, given):
    aig.ok("send", "a question")
    aig.ok("send", "an answer", "--reply-to", given)
    question, answer = aig.log()
    assert answer["reply_to"] == question["id"]
    assert "no message [7]" in aig.refused("send", "an answer", "--reply-to", given.replace("1", "7"))


def test_behind_the_greatest_seq_nothing_is_written(aig):
    aig.ok("send", "one")
    log = aig.room() / "messages.jsonl"
    log.write_text('{"seq":9007199254740991,"text":"the last that all can count"}\n')
    kept = log.read_bytes()
    assert str(log) in aig.refused("send", "one more", code=1)
    assert log.read_bytes() == kept

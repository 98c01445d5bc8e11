"""The side conversation in the page's fold: static/js/assistant_talk.js. Our own contract."""

from typing import Any

from .node import needs_node, run_in_node

pytestmark = needs_node


def asked(number: int, state: str = "running", **more: Any) -> dict[str, Any]:
    return {
        "messageId": f"amsg_q{number}",
        "role": "user",
        "content": f"Question {number}",
        "clientCommandId": f"c{number}",
        "createdAt": f"2026-11-30T10:41:0{number}Z",
        "state": state,
        **more,
    }


def answered(number: int, content: str = "The answer.") -> dict[str, Any]:
    return {
        "messageId": f"amsg_a{number}",
        "role": "assistant",
        "content": content,
        "clientCommandId": f"c{number}",
        "createdAt": f"2026-11-30T10:42:0{number}Z",
    }


def items(*given: dict[str, Any]) -> list[Any]:
    return ["withItems", list(given)]


def event(kind: str, **data: Any) -> list[Any]:
    return ["withEvent", {"type": f"assistant.{kind}", "data": data}]


def delta(chunk: int, text: str, **more: Any) -> list[Any]:
    return event("delta", clientCommandId="c1", chunkIndex=chunk, text=text, **more)


def talk(*steps: list[Any], unsent: list[Any] | None = None) -> Any:
    return run_in_node("talk.mjs", "assistant_talk.js", {"steps": steps, "unsent": unsent or []})


def rows(*steps: list[Any], unsent: list[Any] | None = None) -> list[tuple[str, str, str]]:
    return [(row["key"], row["state"], row["text"]) for row in talk(*steps, unsent=unsent)["rows"]]


def test_an_answer_grows_by_its_chunks_each_once_and_is_replaced_by_what_is_kept() -> None:
    growing = [items(asked(1)), delta(0, "The "), delta(1, "ans"), delta(1, "ans")]
    assert rows(*growing) == [("c1", "running", "The ans")]
    kept = [*growing, event("message", item=answered(1))]
    assert rows(*kept, delta(2, "wer.")) == [("c1", "answered", "The answer.")]


def test_who_comes_in_the_middle_is_given_the_text_so_far() -> None:
    assert rows(items(asked(1)), delta(4, "The ans", replace=True), delta(5, "wer")) == [
        ("c1", "running", "The answer")
    ]
    lives = talk(items(asked(1)), delta(0, "The "))["lives"]
    assert rows(items(asked(1)), ["withLives", lives], delta(1, "answer")) == [("c1", "running", "The answer")]


def test_a_question_that_is_asked_again_begins_anew_in_every_tab() -> None:
    failed = [items(asked(1)), delta(0, "Half "), delta(1, "an ans"), items(asked(1, "failed"))]
    again = [delta(-1, "", replace=True), delta(0, "A whole "), event("message", item=asked(1)), delta(1, "one")]
    assert rows(*failed, *again) == [("c1", "running", "A whole one")]


def test_what_was_streamed_before_the_question_is_known_stands_under_it() -> None:
    assert rows(delta(0, "The "), items(asked(1))) == [("c1", "running", "The ")]


def test_the_same_items_from_the_list_the_stream_and_an_answer_stand_there_once_in_the_order_of_the_questions() -> None:
    told = [items(asked(2), answered(1)), event("message", item=asked(1)), items(asked(1, "answered"), answered(1))]
    assert rows(*told) == [("c1", "answered", "The answer."), ("c2", "running", "")]


def test_a_failed_question_says_why_and_waits_when_it_is_asked_again() -> None:
    error = {"code": "NATIVE_EXITED", "message": "It left.", "hint": "Ask again."}
    failed = [items(asked(1)), delta(0, "Half an ans"), event("message", item=asked(1, "failed", error=error))]
    [row] = talk(*failed)["rows"]
    assert (row["state"], row["error"], row["text"]) == ("failed", error, "Half an ans")
    [again] = talk(*failed, ["askedAgain", "c1"])["rows"]
    assert (again["state"], again["error"], again["text"]) == ("waiting", None, "")


def test_it_is_under_way_until_every_question_has_ended() -> None:
    assert talk(items(asked(1, "waiting")))["isUnderWay"]
    assert not talk(items(asked(1, "answered"), answered(1), asked(2, "cancelled")))["isUnderWay"]


def test_what_is_not_known_to_have_arrived_stands_last_until_it_has() -> None:
    unsent = [{"clientCommandId": "c2", "content": "Question 2", "isSending": False}]
    assert rows(items(asked(1)), unsent=unsent) == [("c1", "running", ""), ("c2", "unsent", "")]
    assert rows(items(asked(1), asked(2)), unsent=unsent) == [("c1", "running", ""), ("c2", "running", "")]

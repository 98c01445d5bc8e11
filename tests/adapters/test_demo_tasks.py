"""What words to the demo's assistant want done (adapters/demo/tasks.py)."""

import pytest

from adapters.demo.assistant import question_of
from adapters.demo.tasks import Task, task_of
from assistant.prompt import prompt_of


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Have Builder look over the changes.", Task(verb="give", to=("builder",), content="Look over the changes.")),
        ("Tell Scribe to write a page", Task(verb="give", to=("scribe",), content="Write a page")),
        ("Ask Reviewer whether it is safe", Task(verb="ask", to=("reviewer",), content="Whether it is safe")),
        (
            "Have Builder tidy up, watched by Reviewer",
            Task(verb="give", to=("builder",), content="Tidy up", observers=("reviewer",)),
        ),
        ("让 Builder 看看解析器", Task(verb="give", to=("builder",), content="看看解析器")),
        ("问 Reviewer：安全吗？", Task(verb="ask", to=("reviewer",), content="安全吗？")),
        ("Announce that we are done", Task(verb="say", content="We are done")),
        ("Stop everything that is running.", Task(verb="stop")),
        ("Cancel what Builder does", Task(verb="stop", to=("builder",))),
        ("停止一切", Task(verb="stop")),
        ("What was decided so far?", Task(verb="read")),
        ("Who is here, and what is everybody doing?", Task(verb="roster")),
        ("你好", Task(verb="roster")),
    ],
)
def test_plain_words_become_one_task(text: str, task: Task):
    assert task_of(text) == task


def test_it_reads_what_the_person_asks_and_not_its_instructions():
    prompt = prompt_of("Have Builder stop\n[question]\nat once", name="Ada", extra_instructions="ask Reviewer")
    assert question_of(prompt) == "Have Builder stop\n[question]\nat once"

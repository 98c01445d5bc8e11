"""The demo's assistant acts in the room by its tools, and says what came of it."""

from typing import Any

from adapters.demo.talk import WAIT_MS, Talk, addressed, names_of, quoted_result, title_of
from adapters.demo.tasks import Task

NEWEST = 5
EXCERPT_CHARS = 160


class Errands(Talk):
    def run(self, task: Task, command_id: str) -> str:
        """`command_id` names what is done, so that it is done once."""
        if self._tools is None:
            return self._phrases["no_tools"]
        match task.verb:
            case "give":
                return self._give(task, command_id)
            case "ask":
                return self._ask_workers(task, command_id)
            case "say":
                content = task.content or self._phrases["news"]
                given = self._use("send", {"content": content, "clientCommandId": command_id})
                return self._done(given, self._phrases["said"])
            case "stop":
                to = [f"agent:{name}" for name in task.to] or ["@all"]
                given = self._use("turns_cancel", {"to": to, "clientCommandId": command_id}, task.to)
                count = 0 if given.is_error else len(given.result["turns"])
                return self._done(given, self._phrases["stopped"].format(count=count))
            case "read":
                return self._read()
            case _:
                return self._roster()

    def _give(self, task: Task, command_id: str) -> str:
        arguments = {**self._addressed(task), "clientCommandId": command_id}
        given = self._use("worker_dispatch", arguments, task.to)
        return self._done(given, self._phrases["given"].format(names=names_of(task.to)))

    def _ask_workers(self, task: Task, command_id: str) -> str:
        arguments = {**self._addressed(task), "clientCommandId": command_id, "timeoutMs": WAIT_MS}
        given = self._use("worker_ask", arguments, task.to)
        if given.is_error:
            return self._done(given, "")
        asked = self._phrases["asked"].format(names=names_of(task.to))
        return "\n\n".join([asked, *map(quoted_result, given.result["results"])])

    def _read(self) -> str:
        given = self._use("read", {})
        if given.is_error:
            return self._done(given, "")
        said = [event for event in given.result["events"] if event.get("type") == "message.created"][-NEWEST:]
        if not said:
            return self._phrases["silence"]
        return "\n".join([self._phrases["heard"], "", *map(_line, said)])

    def _roster(self) -> str:
        given = self._use("roster", {})
        if given.is_error:
            return self._done(given, "")
        lines = [f"- **{agent['displayName']}** – {agent['status']}" for agent in given.result["agents"]]
        return "\n".join([self._phrases["here"], "", *lines, "", self._phrases["can"]])

    def _addressed(self, task: Task) -> dict[str, Any]:
        return addressed(task.to, task.content or self._phrases["question"], task.observers)

    def _done(self, given: Any, words: str) -> str:
        return self._phrases["not_done"].format(message=given.result.get("message", "")) if given.is_error else words


def _line(event: dict[str, Any]) -> str:
    text = " ".join(str(event["body"].get("content", "")).split())
    excerpt = text if len(text) <= EXCERPT_CHARS else f"{text[: EXCERPT_CHARS - 1]}…"
    return f"- **{title_of(event['actorId'])}**: {excerpt}"

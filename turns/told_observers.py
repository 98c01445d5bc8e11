"""What this process has told observers, of the turns they watch. Forgotten with the process; bounded."""

from turns.watching import Told

REMEMBERED = 1_000


class ToldObservers:
    """By watch turn and watched turn."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, str], Told] = {}

    def get(self, key: tuple[str, str]) -> Told | None:
        return self._told.get(key)

    def put(self, key: tuple[str, str], told: Told) -> None:
        self._told.pop(key, None)
        self._told[key] = told
        if len(self._told) > REMEMBERED:
            del self._told[next(iter(self._told))]

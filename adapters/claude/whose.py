"""Whose a native turn is: that of the prompt which is owed an end, or one of the agent's own. Pure.

Claude Code goes on by itself when something that it left running in the background has ended; a prompt that arrives
meanwhile waits in its queue. Versions that tell what becomes of a prompt by its id leave no doubt; for others the turn
that was open when the prompt was sent is the agent's own.
"""


class Whose:
    def __init__(self) -> None:
        self.prompt_id: str | None = None
        """Of the prompt that is owed an end."""
        self._has_started = False
        self._tells_starts = False
        self._own_is_open = False

    @property
    def is_prompts(self) -> bool:
        """What is told now belongs to the prompt that is owed an end."""
        return self.prompt_id is not None and (self._has_started or not (self._tells_starts or self._own_is_open))

    def prompted(self, prompt_id: str) -> None:
        self.prompt_id, self._has_started = prompt_id, False

    def queued(self) -> None:
        """Any prompt: so this version tells."""
        self._tells_starts = True

    def started(self, prompt_id: str) -> None:
        self._tells_starts = True
        self._has_started |= prompt_id == self.prompt_id

    def begins(self) -> bool:
        """A native turn does; True for one of the agent's own."""
        self._own_is_open = not self.is_prompts
        return self._own_is_open

    def ends(self) -> bool:
        """A native turn does; True for the prompt's."""
        was_prompts = self.is_prompts
        self._own_is_open = False
        if was_prompts:
            self.prompt_id = None
        return was_prompts

"""The server of the setup, where there is no configuration file yet; what groupx/runtime.py is to a room."""

from groupx.control import Word
from groupx.kernel.config_file import load_config
from groupx.kernel.logs import get_logger
from groupx.run_config import allowed_drivers, as_typed_here
from groupx.serving import Serving
from groupx.setup.answers import LaunchTold
from rooms.body import Body

log = get_logger()


class SetupRuntime(Serving):
    _launch: LaunchTold = {"status": "waiting"}

    def tell(self, body: Body) -> None:
        """There are no pages of a room yet."""

    def on_configured(self) -> None:
        if self._launch["status"] == "ready":  # of a page that has not moved; the room shows what waits for a restart
            return
        if self.ask_parent(Word.CONFIGURED):
            self._launch = {"status": "starting"}
            return
        start = as_typed_here(self.run, "start")
        message = f"The configuration is written. This setup was started by hand; “{start}” begins the room."
        self._launch = {"status": "failed", "message": message}

    def launch_state(self) -> LaunchTold:
        return self._launch

    def room_origin(self) -> str | None:
        """Where the room answers, once it runs."""
        return self._launch.get("origin")

    def check_restart(self) -> None:
        if self.run.config_path.exists():
            load_config(self.run.config_path, allowed_drivers())

    def obey(self, line: str) -> None:
        match line.split(maxsplit=1):
            case [Word.LAUNCHED, origin]:
                self._launch = {"status": "ready", "origin": origin}
            case [Word.FAILED, sentence]:
                self._launch = {"status": "failed", "message": sentence}
            case _:
                log.warning("control_word_unknown", word=line)

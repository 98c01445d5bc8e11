"""Compiles our packages when a checkout is installed: where Python may write no bytecode itself, every start, and every
call of `aig`, would compile them again. Installers compile wheels themselves.
"""

from compileall import compile_dir
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledAtInstallation(BuildHookInterface):  # type: ignore[misc]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            for package in self.build_config.packages:
                folder = Path(self.root) / package
                compile_dir(folder, quiet=1, invalidation_mode=PycInvalidationMode.TIMESTAMP)

"""Event-name logging: `log.info("turn_claimed", turn_id=…)`. One JSON line per record on standard error.

Never log prompts, answers, memory or environment; ids, codes, counts and durations are enough. Records of
libraries (Django, Twisted, asyncio) take the same way, so that every line is one JSON object.
"""

import logging
import sys

# structlog imports Twisted and rich, where they are, for what nobody here uses: every process starts faster without.
_UNUSED = [name for name in ("structlog.twisted", "rich") if name not in sys.modules]
sys.modules.update(dict.fromkeys(_UNUSED))  # type: ignore[arg-type]

import structlog  # noqa: E402

for _name in _UNUSED:
    del sys.modules[_name]

from .environment import value_of  # noqa: E402
from .log_writer import LogWriter  # noqa: E402

LEVEL_VARIABLE = "GROUPX_LOG_LEVEL"


def configure_logging(process: str) -> None:
    """Once per process; every line then tells which process wrote it.

    GROUPX_LOG_LEVEL chooses (debug, info, warning, error); by default warnings where a person looks at a
    terminal, everything from info on elsewhere.
    """
    writer, level = LogWriter(sys.stderr), _level()

    def tell_process(logger: object, method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
        return {"process": process, **event}  # no context variable: threads begin without ours

    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        tell_process,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    to_json = structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
    structlog.configure(
        processors=[*shared, to_json],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=writer),  # type: ignore[arg-type]
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(writer)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, to_json],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(level, logging.WARNING), force=True)


def _level() -> int:
    name = value_of(LEVEL_VARIABLE).upper()
    if name in ("DEBUG", "INFO", "WARNING", "ERROR"):
        return int(getattr(logging, name))
    return logging.WARNING if sys.stderr.isatty() else logging.INFO


get_logger = structlog.get_logger

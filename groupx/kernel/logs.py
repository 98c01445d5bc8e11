"""Event-name logging: `log.info("turn_claimed", turn_id=…)`. One JSON line per record on standard error.

Never log prompts, answers, memory or environment; ids, codes, counts and durations are enough.
"""

import logging
import sys

# structlog imports Twisted for an integration that nobody here uses; lanes and the parent start faster without.
sys.modules.setdefault("structlog.twisted", None)  # type: ignore[arg-type]

import structlog  # noqa: E402


def configure_logging(process: str, level: int = logging.INFO) -> None:
    """Once per process; every line then tells which process wrote it."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(process=process)


get_logger = structlog.get_logger

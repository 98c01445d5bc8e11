"""A configured agent as its driver needs it."""

from pathlib import Path

from adapters.contract import AgentSpec
from groupx.kernel.config import RunConfig

LONGEST_CLOSE_MS = 5_000
"""An ordered stop of the whole room takes at most 15 s, whatever closeMs says."""


def agent_spec(agent_id: str, run: RunConfig) -> AgentSpec:
    agent, timeouts = run.config.agents[agent_id], run.config.timeouts
    return AgentSpec(
        agent_id=agent_id,
        driver=agent.driver,
        argv=agent.argv,
        args=tuple(agent.args),
        mode=agent.mode,
        cwd=Path(agent.cwd),
        run_dir=run.run_dir,
        handshake_ms=timeouts.handshake_ms,
        request_ms=timeouts.request_ms,
        close_ms=min(timeouts.close_ms, LONGEST_CLOSE_MS),
    )

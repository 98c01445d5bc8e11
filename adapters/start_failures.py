"""Why a CLI could not be opened, as an error with a sentence and a hint. Pure."""

from adapters.contract import AdapterError, SessionLoss
from adapters.failures import failure_of, says_sign_in
from adapters.jsonrpc import ProtocolViolation, RpcError
from adapters.program import Program
from groupx.kernel.errors import ErrorCode


def no_answer(program: Program, method: str) -> AdapterError:
    return AdapterError(
        ErrorCode.NATIVE_START_FAILED,
        f"{program.title} did not answer “{method}” in time.",
        hint="Run it by itself in a terminal to see what it waits for.",
        temporary=True,
    )


def refused(program: Program, error: RpcError) -> AdapterError:
    """A step of the start was answered with an error."""
    failure = failure_of(error, program.sign_in)
    known = (ErrorCode.NATIVE_AUTH_REQUIRED, ErrorCode.NATIVE_RATE_LIMITED)
    return AdapterError(
        failure.code if failure.code in known else ErrorCode.NATIVE_START_FAILED,
        failure.message,
        hint=failure.hint,
        temporary=failure.code is not ErrorCode.NATIVE_AUTH_REQUIRED,
        retry_after_seconds=failure.retry_after_seconds,
    )


def policy_blocked(program: Program, reason: str) -> AdapterError:
    """`reason` is a sentence, or the agent's own words."""
    return AdapterError(
        ErrorCode.NATIVE_POLICY_BLOCKED,
        f"{program.title} may not run without asking: {reason}",
        hint="A policy of this machine or account forbids it; whoever manages it can change that.",
    )


def broke_protocol(program: Program, violation: ProtocolViolation) -> AdapterError:
    return AdapterError(ErrorCode.PROTOCOL_INVALID_MESSAGE, f"{program.title} broke the protocol: {violation.reason}.")


def lost(program: Program, loss: SessionLoss, last_words: str) -> AdapterError:
    """The process or its output ended before there was a session."""
    if loss.code is ErrorCode.PROTOCOL_INVALID_MESSAGE:
        return AdapterError(loss.code, loss.message, temporary=True)
    if says_sign_in(last_words):
        return AdapterError(
            ErrorCode.NATIVE_AUTH_REQUIRED, f"{program.title} wants you to sign in first.", hint=program.sign_in
        )
    return AdapterError(
        ErrorCode.NATIVE_START_FAILED,
        f"{program.title} could not be started. {loss.message}",
        hint="Run it by itself in a terminal to see why.",
        temporary=True,
    )

"""A model could not help, or the user stopped the run."""

from __future__ import annotations

from averment.errors.base import AvermentError


class ModelError(AvermentError, http_status=502):
    """A model gave no usable answer; the built-in rules answer instead."""


class ModelUnavailable(ModelError):
    """No model is configured, or it cannot be reached."""


class ModelTimeout(ModelError):
    """The model did not respond in time."""


class ModelNonsense(ModelError):
    """The model's answer failed validation twice."""


class ModelBudgetExceeded(ModelError):
    """The run's budget of calls or tokens is spent."""


class RunCancelled(
    AvermentError, exit_code=130, http_status=409, hint="Ask again, or continue with `averment resume RUN`."
):
    """The user stopped the run; everything sealed so far is kept."""


class RunInterrupted(
    AvermentError, http_status=409, retryable=True, hint="Continue it with `averment resume` and the run's id."
):
    """The process that carried the run out ended before the run did."""


class RunStopped(BaseException):
    """Unwinds a run that is to stop; it leaves the run as ``RunCancelled``.

    Not an ``AvermentError``, as asyncio's own cancellation is not an ``Exception``: whoever tries several readings and
    takes an error for one that does not hold must not take a stop for that, and try the next.
    """

"""Names of Averment's own for whatever a vendor's library raises.

Messages are written here and never copied: a vendor's text may hold the key, the prompt or the endpoint's whole reply.
"""

from __future__ import annotations

from averment.errors import ModelError, ModelNonsense, ModelTimeout, ModelUnavailable
from averment.llm.provider import OWN

STATUS_HINTS = {
    400: "The endpoint rejected the request; check that the model supports tools and a prompt of this length.",
    401: f"The endpoint rejected the key; check {' or '.join(own.key_name for own in OWN.values() if own.key_name)}.",
    403: "The key has no access to this model; choose another with AVERMENT_MODEL_NAME.",
    404: "The endpoint does not know the model; choose one with AVERMENT_MODEL_NAME and check the base URL.",
    429: "The endpoint's rate limit or quota was reached; wait, or choose another model.",
}
UNREACHABLE_HINT = "Check the network and the base URL; until then the built-in rules answer."
UNKNOWN_HINT = "The built-in rules answer for now; update the model packages if the problem persists."


def name_fault(error: Exception) -> ModelError:
    """The ModelError that stands for any exception of a model call; one that is a ModelError already stays."""
    if isinstance(error, ModelError):
        return error
    from pydantic_ai import exceptions as vendor

    details: dict[str, object] = {"fault": type(error).__name__}
    if _is_too_large(error):
        return ModelUnavailable("The model's endpoint sent too much and was cut off.", details=details)
    match error:
        case TimeoutError() | vendor.ModelTimeoutError() | vendor.ModelRequestTimeout():
            return ModelTimeout("The model did not respond in time.", details=details)
        case vendor.ModelHTTPError():
            status = error.status_code
            return ModelUnavailable(
                f"The model's endpoint returned HTTP status {status}.",
                hint=STATUS_HINTS.get(status, UNREACHABLE_HINT),
                details=details | {"status": status},
            )
        case vendor.UnexpectedModelBehavior():
            return ModelNonsense("The model's endpoint sent an invalid response.", details=details)
        case vendor.ModelAPIError() | OSError():
            return ModelUnavailable(
                "The model cannot be reached, or the connection was lost.", hint=UNREACHABLE_HINT, details=details
            )
        case _:
            return ModelError("The model call failed.", hint=UNKNOWN_HINT, details=details)


def _is_too_large(error: BaseException | None) -> bool:
    from averment.llm.transport import AnswerTooLarge

    seen = 0
    while error is not None and seen < 16:
        if isinstance(error, AnswerTooLarge):
            return True
        error, seen = error.__cause__ or error.__context__, seen + 1
    return False

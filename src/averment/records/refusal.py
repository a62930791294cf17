"""From a record that will not validate to the error a caller is shown.

Records refuse bad values the way Pydantic does. At the edge of the house a caller wants Averment's own error with its
stable code instead: a rule that has its own error raises it with ``broken``, a plain field limit names its error in a
table by field path, and ``checked`` turns the first failure into that error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from averment.errors import AvermentError, InvalidRequest

Model = TypeVar("Model", bound=BaseModel)
Refusals = Mapping[str, type[AvermentError]]
"""Field path (``constraints.row_limit``, ``*`` for any index), optionally with ``:error_type``, to its error."""


def broken(error: type[AvermentError], sentence: str) -> PydanticCustomError:
    """The failure of a rule that has its own error; raise it inside a validator."""
    # Braces in the sentence would be read as a template by Pydantic, so that the sentence travels as a value.
    code: Any = error.code  # Pydantic asks for a literal string; a class variable of ours is as constant as one.
    return PydanticCustomError(code, "{sentence}", {"sentence": sentence})


def refusal_of(failures: Sequence[ErrorDetails], refusals: Refusals | None = None) -> AvermentError:
    """The error that stands for Pydantic's failures: the first one that has an error of its own, else the first."""
    table = refusals or {}
    for failure in failures:
        error = _error_for(failure, table)
        if error is not None and not _is_an_echo(failure, failures):
            return error(_sentence(failure), details=_details(failure))
    return InvalidRequest(_sentence(failures[0]), details=_details(failures[0]))


def checked(kind: type[Model], values: Mapping[str, Any], refusals: Refusals | None = None) -> Model:
    """A record made from raw values.

    Raises:
        AvermentError: the error named for the rule or field that failed, InvalidRequest for any other.
    """
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise refusal_of(error.errors(include_url=False), refusals) from error


@cache
def errors_by_code() -> Mapping[str, type[AvermentError]]:
    """Every error class by its code; where a parent shares its code with a child, the child."""
    found: dict[str, type[AvermentError]] = {}

    def walk(error: type[AvermentError]) -> None:
        found[error.code] = error
        for child in error.__subclasses__():
            walk(child)

    walk(AvermentError)
    return found


def _error_for(failure: ErrorDetails, table: Refusals) -> type[AvermentError] | None:
    own = errors_by_code().get(failure["type"])
    if own is not None:
        return own
    path = ".".join("*" if isinstance(part, int) else part for part in failure["loc"])
    return table.get(f"{path}:{failure['type']}") or table.get(path)


def _is_an_echo(failure: ErrorDetails, failures: Sequence[ErrorDetails]) -> bool:
    # A list whose only item is bad is reported as too short as well; the item's own failure is the one that counts.
    place = failure["loc"]
    return any(len(other["loc"]) > len(place) and other["loc"][: len(place)] == place for other in failures)


def _sentence(failure: ErrorDetails) -> str:
    where = ".".join(str(part) for part in failure["loc"])
    message = "there is no such field" if failure["type"] == "extra_forbidden" else failure["msg"].rstrip(".")
    return f"{where}: {message}." if where else f"{message}."


def _details(failure: ErrorDetails) -> dict[str, object]:
    return {"field": ".".join(str(part) for part in failure["loc"])}

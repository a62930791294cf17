"""What every record shares: frozen models, checked ids and hashes, UTC times ending in ``Z``, and state machines.

Records are bare nouns. They import nothing else of Averment but its errors and what plugins add.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer, StringConstraints

from averment.errors import IllegalTransition

State = TypeVar("State", bound=str)


class Record(BaseModel):
    """A frozen noun: unknown fields are refused, and a change makes a new record."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=False)

    def changed(self, **changes: Any) -> Self:
        """A new record with these fields changed, checked as if it were made from scratch.

        Raises:
            pydantic.ValidationError: the new values do not fit the record.
        """
        return type(self).model_validate({**dict(self), **changes})


def utc_now() -> datetime:
    """The present moment, timezone-aware."""
    return datetime.now(UTC)


def iso_z(moment: datetime) -> str:
    """A moment as ISO 8601 in UTC with microseconds and a ``Z``."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("the time has no time zone; give it in UTC, for example 2026-01-23T10:30:00Z")
    return moment.astimezone(UTC)


def _uuid_text(text: str) -> str:
    return str(uuid.UUID(text))


UtcDatetime = Annotated[datetime, AfterValidator(_aware), PlainSerializer(iso_z, return_type=str, when_used="json")]
"""A timezone-aware moment, kept in UTC and written with ``Z``."""

UuidText = Annotated[str, AfterValidator(_uuid_text)]
"""A UUID in its canonical text form."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 digest as 64 lower-case hex characters."""

Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
"""A confidence, score or probability from 0 to 1."""

Seconds = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
"""A length of time, never negative, never infinite."""


def picked(thing: object, *names: str) -> dict[str, Any]:
    """The attributes of these names, as a document takes them over."""
    return {name: getattr(thing, name) for name in names}


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: white space, zero-width and control characters do not count."""
    return not any(character.isprintable() and not character.isspace() for character in text)


def not_blank(refusal: str) -> AfterValidator:
    """The check that a text shows something, to be put after those of its length."""

    def check(text: str) -> str:
        if is_blank(text):
            raise ValueError(refusal)
        return text

    return AfterValidator(check)


def _relative(path: str) -> str:
    if path.startswith(("/", "\\")) or "\\" in path or "\0" in path or ".." in path.split("/"):
        raise ValueError("the path must be relative, with forward slashes, and stay inside its folder")
    return path


RelativePath = Annotated[str, StringConstraints(min_length=1), AfterValidator(_relative)]
"""A path inside the home that cannot climb out of it."""


def new_id() -> str:
    """A fresh random UUID as text."""
    return str(uuid.uuid4())


def derived_id(parent: str, *parts: object) -> str:
    """A UUID that depends only on its parent id and parts, so that a resumed run names its steps alike."""
    return str(uuid.uuid5(uuid.UUID(parent), "/".join(str(part) for part in parts)))


class StateMachine(Generic[State]):
    """An explicit table of allowed steps; whatever is not in it is refused."""

    def __init__(self, name: str, steps: Mapping[State, frozenset[State]]) -> None:
        self.name = name
        self.steps = dict(steps)

    @property
    def states(self) -> frozenset[State]:
        """Every state the machine knows."""
        return frozenset(self.steps).union(*self.steps.values())

    def allows(self, current: State, following: State) -> bool:
        """Whether the table holds that step."""
        return following in self.steps.get(current, frozenset())

    def step(self, current: State, following: State) -> State:
        """The following state, if the table holds the step.

        Raises:
            IllegalTransition: it does not.
        """
        if not self.allows(current, following):
            raise IllegalTransition(
                f"A {self.name} cannot go from {current} to {following}.",
                hint=f"Allowed from {current}: {', '.join(sorted(self.steps.get(current, frozenset()))) or 'nothing'}.",
            )
        return following

"""What a turn will do, as data that is kept before it is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["call", "confirm", "choose", "say", "list", "undo", "route"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a turn will do; kept before it is done, so that it is done as decided even after a crash."""

    kind: Kind
    words: str = ""
    calls: tuple[dict[str, Any], ...] = ()
    options: tuple[dict[str, Any], ...] = ()
    focus: tuple[int, ...] = ()
    more: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The decision as plain values."""
        return {
            "kind": self.kind,
            "words": self.words,
            "calls": list(self.calls),
            "options": list(self.options),
            "focus": list(self.focus),
            "more": self.more,
        }

    @classmethod
    def of(cls, kept: dict[str, Any]) -> Decision:
        """The decision that was kept."""
        return cls(
            kind=kept["kind"],
            words=kept["words"],
            calls=tuple(kept["calls"]),
            options=tuple(kept["options"]),
            focus=tuple(kept["focus"]),
            more=dict(kept["more"]),
        )


def names_of(titles: Sequence[str]) -> str:
    """Titles as a sentence names them."""
    quoted = [f"'{title}'" for title in titles]
    return joined(quoted)


def joined(parts: Sequence[str]) -> str:
    """Parts as a sentence lists them."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"

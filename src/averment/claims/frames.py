"""Frame sentences: what a document may say beside its claims, and the check that it says no more.

A frame has holes, and a hole takes only what it is allowed: a read-back, a column's name, a recorded parameter. So
every sentence of a document is a rendered claim, a frame around something recorded, or it is refused; free text, a
model's or anyone's, has no way in, whatever language or script its numbers are in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from averment.errors import UntrueClaim

_HOLE = re.compile(r"\{(\w+)(\*?)\}")


@dataclass(frozen=True)
class Frame:
    """A sentence with holes: ``{name}`` takes one allowed text, ``{name*}`` a list of them with commas between."""

    template: str

    @cached_property
    def holes(self) -> tuple[str, ...]:
        """The names of its holes."""
        return tuple(found.group(1) for found in _HOLE.finditer(self.template))

    def pattern(self, allowed: Mapping[str, Collection[str]]) -> re.Pattern[str] | None:
        """What the frame reads like with these texts in its holes; nothing where a hole has none."""
        parts: list[str] = []
        at = 0
        for found in _HOLE.finditer(self.template):
            texts = sorted(
                {text for text in allowed.get(found.group(1), ()) if text}, key=lambda text: (-len(text), text)
            )
            if not texts:
                return None
            one = "(?:" + "|".join(map(re.escape, texts)) + ")"
            parts += [re.escape(self.template[at : found.start()]), f"{one}(?:, {one})*" if found.group(2) else one]
            at = found.end()
        parts.append(re.escape(self.template[at:]))
        return re.compile("".join(parts))


class Told:
    """Everything a document may say: sentences of claims, and frames with what may stand in their holes."""

    def __init__(
        self, sentences: Iterable[str], frames: Iterable[Frame], allowed: Mapping[str, Collection[str]]
    ) -> None:
        self._sentences = sorted(
            {each.strip() for each in sentences if each.strip()}, key=lambda each: (-len(each), each)
        )
        self._frames = [pattern for frame in frames if (pattern := frame.pattern(allowed)) is not None]

    def loose(self, text: str) -> str | None:
        """The first stretch of a text that nothing says; nothing where all of it is said."""
        seen: set[int] = set()
        furthest = 0
        waiting = [_past_blanks(text, 0)]
        while waiting:
            at = waiting.pop()
            if at >= len(text):
                return None
            if at in seen:
                continue
            seen.add(at)
            furthest = max(furthest, at)
            waiting += [_past_blanks(text, end) for end in self._ends(text, at)]
        return text[furthest : furthest + 120]

    def _ends(self, text: str, at: int) -> list[int]:
        ends = [at + len(each) for each in self._sentences if text.startswith(each, at)]
        ends += [found.end() for pattern in self._frames if (found := pattern.match(text, at)) is not None]
        return sorted(end for end in ends if end > at and (end == len(text) or text[end].isspace()))

    def check(self, texts: Iterable[tuple[str, str]]) -> None:
        """Pass every text of a document through the gate, each with its place.

        Raises:
            UntrueClaim: a text holds what no claim, reading or frame says.
        """
        for place, text in texts:
            stray = self.loose(text)
            if stray is not None:
                raise UntrueClaim(
                    f"The {place} says {stray!r}, which no claim, reading or frame sentence says.",
                    details={"place": place},
                )


def _past_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at

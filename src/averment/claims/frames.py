"""Frame sentences: what a document may say beside its claims, and the check that it says no more.

A frame has holes, and a hole takes only what it is allowed: a read-back, a column's name, a recorded parameter. So
every sentence of a document is a rendered claim, a frame around something recorded, or it is refused; free text, a
model's or anyone's, has no way in, whatever language or script its numbers are in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from averment.errors import UntrueClaim

_HOLE = re.compile(r"\{(\w+)([*+&]?)\}")
_BETWEEN = {"*": ", ", "+": "; ", "&": "(?:, | and )"}

Texts = Collection[str] | Callable[[str], bool]
"""What a hole may hold: one of some texts, or whatever a test lets through."""


@dataclass(frozen=True)
class Frame:
    """A sentence with holes: ``{name}`` takes one allowed text, ``{name*}``, ``{name+}`` and ``{name&}`` a list.

    A list has commas between its parts with ``*``, semicolons with ``+``, commas and "and" with ``&``.
    """

    template: str

    @cached_property
    def holes(self) -> tuple[str, ...]:
        """The names of its holes."""
        return tuple(found.group(1) for found in _HOLE.finditer(self.template))

    @cached_property
    def _literals(self) -> tuple[str, ...]:
        """What stands before, between and behind its holes."""
        return tuple(_HOLE.split(self.template)[::3])

    def may_begin(self, text: str, at: int) -> bool:
        """Whether the frame can stand here by its own words, whatever its holes hold; far cheaper than a reader."""
        first, *others = self._literals
        if not text.startswith(first, at):
            return False
        at += len(first)
        for literal in others:
            at = text.find(literal, at)
            if at < 0:
                return False
            at += len(literal)
        return True

    def reader(self, allowed: Mapping[str, Texts]) -> FrameReader | None:
        """What the frame reads like with these texts in its holes; nothing where a hole has none."""
        parts: list[str] = []
        tests: dict[str, Callable[[str], bool]] = {}
        at = 0
        for number, found in enumerate(_HOLE.finditer(self.template)):
            given = allowed.get(found.group(1), ())
            if callable(given):
                one = f"(?P<h{number}>[^\n]+?)"
                tests[f"h{number}"] = given
            else:
                texts = sorted({text for text in given if text}, key=lambda text: (-len(text), text))
                if not texts:
                    return None
                one = "(?:" + "|".join(map(re.escape, texts)) + ")"
                between = _BETWEEN.get(found.group(2))
                one = one if between is None else f"{one}(?:{between}{one})*"
            parts += [re.escape(self.template[at : found.start()]), one]
            at = found.end()
        parts.append(re.escape(self.template[at:]))
        # A hole that a test guards ends where the sentence does, and not at its first letter.
        end = r"(?=\n|$)" if self.template.endswith("}") and tests else ""
        return FrameReader(re.compile("".join(parts) + end), tests)


@dataclass(frozen=True)
class FrameReader:
    """A frame made ready to read: its pattern, and the tests of what stands in its holes."""

    pattern: re.Pattern[str]
    tests: Mapping[str, Callable[[str], bool]]

    def end(self, text: str, at: int) -> int | None:
        """Where the frame ends that begins here; nothing where none does."""
        found = self.pattern.match(text, at)
        if found is None or not all(test(found.group(name)) for name, test in self.tests.items()):
            return None
        return found.end()


class Frames:
    """Frames over what their holes may hold; each is made ready when a text first may hold it, and only then."""

    def __init__(self, frames: Iterable[Frame], allowed: Mapping[str, Texts]) -> None:
        self._frames = tuple(frames)
        self._allowed = allowed
        self._ready: dict[Frame, FrameReader | None] = {}

    def readers(self, text: str, at: int) -> Iterator[FrameReader]:
        """The readers of the frames that may begin here."""
        for frame in self._frames:
            if not frame.may_begin(text, at):
                continue
            if frame not in self._ready:
                self._ready[frame] = frame.reader(self._allowed)
            reader = self._ready[frame]
            if reader is not None:
                yield reader


class AllowedSentences:
    """Everything a document may say: sentences of claims, and frames with what may stand in their holes."""

    def __init__(self, sentences: Iterable[str], frames: Iterable[Frame], allowed: Mapping[str, Texts]) -> None:
        self._sentences = sorted(
            {each.strip() for each in sentences if each.strip()}, key=lambda each: (-len(each), each)
        )
        self._frames = Frames(frames, allowed)

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
        ends += [end for reader in self._frames.readers(text, at) if (end := reader.end(text, at)) is not None]
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

"""The two marks of a run: how its question was interpreted, and whether its figures were recomputed.

They are never one mark. Recomputing shows that the figures follow from the query; it cannot show that the query is what
the question meant. Both are derived here and nowhere else, from what the run recorded: its grade, the odds that the
judge gave, what a person chose, its findings, and its last check.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from averment.records.base import Record
from averment.records.run import Finding

Certainty = Literal["sure", "probable", "chosen", "given", "confirmed", "model", "open", "unrated"]
FigureState = Literal["none", "bound", "recomputed", "fault", "missing"]

SURE_FROM = 0.95
"""Odds from which an interpretation is called sure: of such readings, 97 in 100 were right on data held out."""

UNCONFIRMED = "probable; same as an earlier question that nobody confirmed"

GRADES: dict[str, tuple[Certainty, str]] = {
    "agree": ("sure", "sure"),
    "one": ("probable", "probable"),
    "recipe": ("confirmed", "same as an earlier question, which you confirmed"),
    "taught": ("confirmed", "you taught the word"),
    "chosen": ("chosen", "you chose it"),
    "given": ("given", "you gave the plan"),
    "sql": ("given", "you wrote the query"),
    "model": ("model", "by a model alone"),
}
"""How a plan came about, as a run records it: its certainty where no odds were recorded, and that in words."""

CERTAINTIES = (*(words for _, words in GRADES.values()), UNCONFIRMED)
"""Every certainty in words, but for one that waits for a choice."""

OPEN, NOT_INTERPRETED = "needs a choice", "not interpreted"
NOT_YET = "; not yet recomputed"

_BEFORE = {
    "two readings agree": "agree",
    "one reading, every word used": "one",
    "you chose it": "chosen",
    "you gave the plan": "given",
    "you taught the word": "taught",
    "as a like question before": "recipe",
    "read by a model alone": "model",
    "you wrote the query": "sql",
}
"""The grades as runs of 0.3.0 and before have sealed them."""

FAULT_LENGTH = 240
NAMED_SOURCES = 3
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?", re.IGNORECASE)
"""A figure as evidence holds it; exact decimals are kept as text."""


class LastCheck(Record):
    """The last check of a run: when, whether everything held, how much was recomputed, and the first fault."""

    at: datetime
    ok: bool
    numbers: int | None = Field(default=None, description="Values recomputed; None where that was not kept.")
    fault: str = ""
    missing: tuple[str, ...] = Field(default=(), description="Sources that were not there to recompute from.")


class Interpretation(Record):
    """The first mark: what the question was taken to mean, and how certain that is."""

    text: str | None = Field(description="What was computed, in words; null where the question waits for a choice.")
    code: Certainty
    certainty: str | None = Field(description="The certainty in words; null where none was recorded.")

    def __str__(self) -> str:
        return f"{self.text} ({self.certainty})" if self.text and self.certainty else self.text or self.certainty or ""


class Figures(Record):
    """The second mark: how many figures are bound to evidence, and what the last check of them found."""

    count: int = Field(description="Numbers in the answer and its findings.")
    quotations: int = Field(description="Quotations of archived texts.")
    state: FigureState
    sources: tuple[str, ...] = ()
    checked_at: datetime | None = None
    fault: str | None = None
    text: str

    def __str__(self) -> str:
        return self.text


class Marks(Record):
    """Both marks of a run, side by side."""

    interpretation: Interpretation
    figures: Figures

    @property
    def bound(self) -> str:
        """The evidence without its state, as a document says that is written before anybody recomputes it."""
        return self.figures.text.removesuffix(NOT_YET)

    @property
    def lines(self) -> tuple[str, ...]:
        """The marks as lines of plain text, one each; a run that was not interpreted has the second alone."""
        said = str(self.interpretation)
        label = "Interpreted as" if self.interpretation.text else "Interpretation"
        return (*([f"{label}: {said}"] if said else []), f"Evidence: {self.figures}")


def marks_of(
    reading: Mapping[str, Any] | None,
    findings: Sequence[Finding],
    sources: Sequence[str] = (),
    check: LastCheck | None = None,
) -> Marks:
    """Both marks of a run, from its reading as it was recorded, its findings, its sources and its last check."""
    figures = _figures(findings, tuple(sources), check)
    if reading and reading.get("offers"):
        figures = figures.changed(text="no figures; what each choice would give is only a preview")
    return Marks(interpretation=interpretation_of(reading or {}), figures=figures)


def grade_of(reading: Mapping[str, Any]) -> str | None:
    """The code of how a reading came about, also of a run that an earlier version made."""
    grade = reading.get("grade")
    return _BEFORE.get(str(grade), str(grade)) if grade else None


def interpretation_of(reading: Mapping[str, Any]) -> Interpretation:
    """The first mark, from a run's reading."""
    if "offers" in reading:
        return Interpretation(text=None, code="open", certainty=OPEN if reading["offers"] else NOT_INTERPRETED)
    said = reading.get("read_as") or reading.get("in_words")
    text = "; ".join([str(said), *map(str, reading.get("told") or ())]) if said else None
    grade, odds = grade_of(reading), reading.get("odds")
    code, words = GRADES.get(grade or "", ("unrated", None))
    if grade in {"agree", "one"} and odds is not None:
        code = words = "sure" if float(odds) >= SURE_FROM else "probable"
    if grade == "recipe" and not (reading.get("recipe") or {}).get("confirmed"):
        code, words = "probable", UNCONFIRMED
    return Interpretation(text=text, code=code, certainty=words)


def _figures(findings: Sequence[Finding], sources: tuple[str, ...], check: LastCheck | None) -> Figures:
    evidence = [slot.evidence for finding in findings for slot in finding.slots.values()]
    quotations = sum(each.kind == "span" for each in evidence)
    values = [each.value for each in evidence if each.kind != "span"]
    count = sum(isinstance(value, int | float | str) and bool(_NUMBER.fullmatch(str(value))) for value in values)
    counted = _counted((count, "figure"), (quotations, "quotation")) or _counted((len(values), "name"))
    places = [*(["a cell"] if values else []), *(["a passage"] if quotations else [])]
    state: FigureState = "bound" if counted else "none"
    each = " " if (count + quotations or len(values)) == 1 else ", each "
    text = f"{counted}{each}bound to {' or '.join(places)}{NOT_YET}" if counted else "no figures"
    if check is not None and not check.ok:
        state, text = "fault", f"{counted or 'no figures'}; check failed on {_moment(check.at)}: {check.fault}"
    elif check is not None and counted and check.missing:
        state, text = "missing", f"{counted}, none recomputed; the source is missing: {_named(check.missing)}"
    elif check is not None and counted and check.numbers != 0:
        state, text = "recomputed", f"{counted} recomputed from {_named(sources)} on {_moment(check.at)}"
    return Figures(
        count=count,
        quotations=quotations,
        state=state,
        sources=sources,
        checked_at=check.at if check is not None else None,
        fault=check.fault if check is not None and not check.ok else None,
        text=text,
    )


def _counted(*counts: tuple[int, str]) -> str:
    return " and ".join(f"{number:,} {noun}{'' if number == 1 else 's'}" for number, noun in counts if number)


def _named(sources: Sequence[str]) -> str:
    named = ", ".join(sources[:NAMED_SOURCES]) or "the archived sources"
    return named + (f" and {len(sources) - NAMED_SOURCES} more" if len(sources) > NAMED_SOURCES else "")


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"

"""The words around an explanation: its title, what it means, and what to do next; its sentence is a claim.

What a segment did is said by the figure that moved; why it did so the data do not tell. The forms: ``story.toml``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.driller.wording import factor_words, segment_words
from averment.language.word_lists import toml_file

if TYPE_CHECKING:
    from averment.agents.driller.cause import Cause
    from averment.agents.driller.reading import InvestigationSetup


def fault_of(cause: Cause) -> str | None:
    """The name of the fault a cause is, if it is one."""
    name = cause.details.get("fault")
    return str(name) if name else None


def title_of(cause: Cause, reading: InvestigationSetup) -> str:
    """An explanation's title; without numbers."""
    return _told("title", cause, reading)


def meaning_of(cause: Cause, reading: InvestigationSetup) -> str:
    """What the data show of a cause, and no more."""
    return _told("meaning", cause, reading)


def step_of(cause: Cause, onset: str | None, reading: InvestigationSetup) -> str:
    """What to do about a cause."""
    return _told("step", cause, reading, since=f" around {onset}" if onset else "")


def _told(part: str, cause: Cause, reading: InvestigationSetup, **more: str) -> str:
    """A part of an explanation in the form of its cause."""
    forms = _FORMS["periods" if reading.groups is None else "groups"]
    first = fault_of(cause) if cause.kind in {"data_fault", "outlier"} else None
    if cause.kind == "new_or_gone":
        first = "new" if cause.state == "new" else "gone"
    names = [name for name in (first, cause.kind, "any") if name]
    if not cause.segment:
        names = [one for name in names for one in (f"{name} everywhere", name)]
    form = next(forms[part][name] for name in names if name in forms[part])
    return form.format_map(_Words(cause, reading, claims=forms["claims"], **more))


_FORMS = toml_file("averment.agents.driller", "story.toml")


class _Words(dict[str, object]):
    """What a form may name: of the cause and of both sides; each word is looked for when a form asks for it."""

    def __init__(self, cause: Cause, reading: InvestigationSetup, **more: str) -> None:
        super().__init__(more)
        self._cause, self._reading = cause, reading

    def __missing__(self, name: str) -> object:
        cause, groups = self._cause, self._reading.groups
        place, down = segment_words(cause.segment), moved_down(cause)
        match name:
            case "place":
                return place
            case "in_place":
                return f" in {place}" if cause.segment else ""
            case "where":
                return f"in {place}" if cause.segment else "everywhere"
            case "figure" | "Figure":
                figure = figure_words(cause, self._reading)
                return figure if name == "figure" else figure.capitalize()
            case "verb":
                return "fell" if down else "rose"
            case "side":
                return "lower" if down else "higher"
            case "test" | "control" if groups is not None:
                return groups.words("comparison" if name == "test" else "baseline")
            case _:
                return cause.details.get(name)


def groups_said(reading: InvestigationSetup) -> dict[str, str]:
    """The groups as the words of a claim; nothing where two periods are compared."""
    groups = reading.groups
    return {} if groups is None else {"groups": f"{groups.words('baseline')}\n{groups.words('comparison')}"}


def kind_words(cause: Cause) -> str:
    """A fault or an expectation in a few words, without names or numbers of the data."""
    short, fault = _FORMS["short"], fault_of(cause)
    return short[fault] if fault else short.get(cause.kind, cause.kind)


def moved_down(cause: Cause) -> bool:
    """Whether the figure that the cause speaks of went down."""
    if cause.before is None or cause.after is None:
        return cause.contribution < 0
    return cause.after < cause.before


def figure_words(cause: Cause, reading: InvestigationSetup) -> str:
    """The figure that a located cause speaks of."""
    if cause.kind == "segment":
        return "the metric"
    if cause.kind == "rate" and reading.metric.kind == "sum":
        return factor_words("value", reading.metric)
    return factor_words(cause.kind, reading.metric)

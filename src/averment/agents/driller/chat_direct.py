"""Questions that an investigation's records answer as they are: segments, causes, price or volume, doubts, faults.

Each kind of question is a class of words; the answer is made of explanations, findings and rows of the breakdown, whose
numbers are records of the session. What is of no such kind goes on to the memory's passages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from averment.agents.driller.cells import places_of
from averment.evidence.values import show
from averment.language.sentences import join_list
from averment.language.stems import stem
from averment.language.word_lists import word_lists
from averment.store.runs import session_tree as tree_of

if TYPE_CHECKING:
    from averment.agents.driller.session_export import Investigation
    from averment.records.drilldown.results import Explanation, Mover


_LISTS = word_lists("kinds", "averment.agents.driller")


def _kinds(*names: str) -> tuple[str, ...]:
    return tuple("|".join(_LISTS[name].splitlines()) for name in names)


NUMBERED, FUTURE, ANOTHER, COUNTED, WITHOUT = _kinds("numbered", "future", "another", "counted", "without")
FACTOR, RULED_OUT, SURE, COMPLETE, EXPECTED = _kinds("factor", "ruled_out", "sure", "complete", "expected")
FOLLOWING, NEXT, REST, WHEN, MOVERS, EACH = _kinds("following", "next", "rest", "when", "movers", "each")
CAUSES, CHANGE, SUMMARY, EVERYWHERE, PERSON = _kinds("causes", "change", "summary", "everywhere", "person")
(PEOPLE,) = _kinds("people")
PLAIN_WORDS = frozenset(word_lists("questions", "averment.agents.driller")["plain_words"].split())
"""Words that name no column and no value."""


def asks(text: str, kind: str) -> bool:
    """Whether a question is of a kind."""
    return re.search(kind, text, re.IGNORECASE) is not None


Answer = tuple[str, tuple[str, ...]]
MOST_LISTED = 5
_WORD = re.compile(r"[^\W_]+")
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}


def answer_directly(found: Investigation, text: str) -> Answer | None:
    """The answer to a question of a known kind with the files it comes from, or None."""
    if found.explanations is None or asks(text, NUMBERED):
        return None
    if asks(text, FUTURE):
        return "The investigation's records do not answer that: they cover what happened, not what will happen.", ()
    if asks(text, ANOTHER):
        return None
    named = _named_movers(found.breakdown, text)
    dimension = _named_dimension(found.breakdown, text)
    if len({mover.dimension for mover in named}) > 1 and len({_folded(mover.value) for mover in named}) > 1:
        return _together(found, named)
    if asks(text, COUNTED) and not asks(text, CHANGE):
        return _counted(found, named) if named else None
    if named and asks(text, WITHOUT):
        return _without(found, named[0])
    for pattern, tell in _ASIDES:
        if asks(text, pattern) and not (named and tell in _GENERAL):
            told = tell(found)
            if told is not None:
                return told
    if named:
        return _segment(found, named)
    if dimension is not None and any(asks(text, kind) for kind in (MOVERS, EVERYWHERE, EACH)):
        return _dimension(found, dimension, text)
    if asks(text, SUMMARY):
        return _change(found)
    if asks(text, CAUSES) and _unnamed(found, text):
        return _causes(found, _wanted(text))
    if asks(text, CHANGE) and _unnamed(found, text):
        return _change(found)
    return None


def _said(value: float) -> str:
    """A number as a reader needs it."""
    plain = float(f"{value:.12g}")
    return show(plain, decimals=places_of(plain))


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _folded(text: str) -> str:
    """A name by the stems of its words, so that cakes are cake."""
    return " ".join(stem(word) for word in _words(text))


def _named_movers(movers: Sequence[Mover], text: str) -> list[Mover]:
    """The values of the breakdown that a question names; of names within one another the longest."""
    asked = f" {_folded(text)} "
    found = [
        mover
        for mover in movers
        if (name := _folded(mover.value)) and len(name) > 1 and f" {name} " in asked and not name.isdigit()
    ]
    if not found:
        found = [
            mover
            for mover in movers
            if mover.value.isdigit() and f" {_folded(mover.dimension)} {mover.value} " in asked
        ]
    names = {_folded(mover.value) for mover in found}
    inner = {name for name in names if any(f" {name} " in f" {other} " and name != other for other in names)}
    return [mover for mover in found if _folded(mover.value) not in inner][:3]


def _named_dimension(movers: Sequence[Mover], text: str) -> str | None:
    asked = {stem(word) for word in _words(text)}
    names = dict.fromkeys(mover.dimension for mover in movers)
    return next((name for name in names if {stem(word) for word in _words(name.rpartition(".")[2])} <= asked), None)


def _unnamed(found: Investigation, text: str) -> bool:
    """Whether a question names nothing in particular, such as a value that the breakdown does not hold."""
    from averment.agents.driller.chat_question import METRIC_STEMS, read_question

    names = read_question(text, metric=found.context.metric_sql).names
    known = {stem(word) for word in PLAIN_WORDS} | METRIC_STEMS | {stem(word) for word in _NUMBERS}
    if found.model is not None:
        known |= {stem(word) for table in found.model.tables for word in _words(table.name)}
    return all(name.isdigit() or name in known for name in names)


def figures_line(found: Investigation, mover: Mover) -> str:
    """A row of the breakdown in words."""
    before, after = (_said(value) if value is not None else "nothing" for value in (mover.before, mover.after))
    text = f"{mover.value} ({mover.dimension}) went from {before} to {after}, a change of {_said(mover.change)}"
    whole = "change"
    if (groups := found.context.groups) is not None:
        sides = f"{before} in {groups.words('baseline')} and {after} in {groups.words('comparison')}"
        text = f"{mover.value} ({mover.dimension}) is {sides}; its part of the difference is {_said(mover.change)}"
        whole = "difference"
    if mover.share is not None and abs(mover.share) < 10:
        text += f" ({show(mover.share, unit='percent')} of the whole {whole})"
    if mover.low is None or mover.high is None:
        return f"{text}."  # Without an interval nobody can say whether it is noise.
    noise = "beyond its own noise" if mover.verdict == "beyond noise" else "within its own noise"
    return f"{text}; 95 % interval {_said(mover.low)} to {_said(mover.high)}: {noise}."


def _segment(found: Investigation, named: Sequence[Mover]) -> Answer:
    lines = [figures_line(found, mover) for mover in named]
    for mover in named:
        for one in found.explanations or ():
            if one.segment.get(mover.dimension) == mover.value:
                lines.append(f"It is part of explanation {one.rank}: {one.title}.")
    return "\n".join(dict.fromkeys(lines)), (tree_of.BREAKDOWN, tree_of.EXPLANATIONS)


def _without(found: Investigation, mover: Mover) -> Answer | None:
    """The metric without one value; only a sum can be had without one by taking its part away."""
    rows = [one for one in found.breakdown if one.dimension == mover.dimension]
    if not all(map(_is_summed, rows)) or mover.before is None or mover.after is None:
        lacks = f"The metric is a quotient, so it cannot be had without {mover.value} by subtraction."
        return f"{figures_line(found, mover)} {lacks}", (tree_of.BREAKDOWN,)
    total = total_change(found)
    if total is None:
        return None
    return f"{without_line(mover, total)} {figures_line(found, mover)}", (tree_of.BREAKDOWN,)


def _is_summed(mover: Mover) -> bool:
    """Whether a value's part of the change is the difference of its own figures, as it is in a sum and no quotient."""
    difference = (mover.after or 0.0) - (mover.before or 0.0)
    return abs(difference - mover.change) <= 1e-6 * max(abs(mover.before or 0.0), abs(mover.after or 0.0), 1e-12)


def without_line(mover: Mover, total: float) -> str:
    """The change without one value."""
    return f"Without {mover.value} the change would be {_said(total - mover.change)} instead of {_said(total)}."


def total_change(found: Investigation) -> float | None:
    """What the whole metric moved by, as the breakdown's rows have it."""
    for mover in found.breakdown:
        if mover.share:
            return mover.change / mover.share
    return None


_FALLING = r"\b(?:lost|los\w*|fell|fall\w*|worst|down|decreas\w*|declin\w*|drop\w*|shrank|detractors?)\b"
_RISING = r"\b(?:gain\w*|rose|ris\w*|best|up|increas\w*|gr[eo]w\w*|improv\w*|won)\b"


def _dimension(found: Investigation, dimension: str, text: str) -> Answer:
    """The largest movers of a dimension, in the direction that is asked about first."""
    rows = [mover for mover in found.breakdown if mover.dimension == dimension]
    falling, rising = asks(text, _FALLING), asks(text, _RISING)
    if falling != rising and _lower_is_plain(text):
        rows.sort(key=lambda mover: mover.change if falling else -mover.change)
    return "\n".join(figures_line(found, mover) for mover in rows[:MOST_LISTED]), (tree_of.BREAKDOWN,)


def _lower_is_plain(text: str) -> bool:
    """Whether the words for up and down mean the metric; of worst and best nobody knows which way that is."""
    return not asks(text, r"\b(?:worst|best)\b")


def _together(found: Investigation, named: Sequence[Mover]) -> Answer | None:
    """What is told of several values at once; None where no explanation speaks of exactly them."""
    for one in found.explanations or ():
        if all(one.segment.get(mover.dimension) == mover.value for mover in named):
            return f"{cause_line(one)} {one.reasoning}", (tree_of.EXPLANATIONS,)
    return None


def _counted(found: Investigation, named: Sequence[Mover]) -> Answer | None:
    grouped = found.context.groups is not None
    before, after = found.context.side_words("baseline"), found.context.side_words("comparison")
    when = "in" if grouped else "from"
    if not all(mover.rows_before or mover.rows_after for mover in named):
        return None
    return "\n".join(count_line(mover, before, after, when) for mover in named), (tree_of.BREAKDOWN,)


def count_line(mover: Mover, before: str, after: str, when: str) -> str:
    """How many rows a value has on both sides."""
    return (
        f"{mover.value} ({mover.dimension}) has {_said(mover.rows_before)} rows {when} {before}, "
        f"and {_said(mover.rows_after)} {when} {after}."
    )


def _wanted(text: str) -> int:
    number = re.search(r"\b(?:top|first|main|biggest|largest)?\s*(\d+|one|two|three|four|five)\b", text.lower())
    if number is None:
        return MOST_LISTED
    return _NUMBERS.get(number.group(1)) or min(max(int(number.group(1)), 1), 10)


def _causes(found: Investigation, most: int = MOST_LISTED) -> Answer:
    told = [one for one in found.explanations or () if one.kind != "noise"]
    if not told:
        return _nothing_proven(found)
    lines = [cause_line(one) for one in told[:most]]
    return "\n".join(lines), (tree_of.EXPLANATIONS,)


def cause_line(one: Explanation) -> str:
    """An explanation in a line."""
    line = f"{one.rank}. {one.title} ({one.likelihood})"
    if one.effect:
        line += f": {_said(one.effect)}"
        if one.share is not None and abs(one.share) < 10:
            line += f", {show(one.share, unit='percent')} of the change"
    return f"{line}."


def _nothing_proven(found: Investigation) -> Answer:
    rows = sorted(found.breakdown, key=lambda mover: -abs(mover.change))[:3]
    tail = f" The largest movers are {join_list([mover_words(mover) for mover in rows])}." if rows else ""
    return f"No cause is proven.{tail}", (tree_of.EXPLANATIONS, tree_of.BREAKDOWN)


def mover_words(mover: Mover) -> str:
    """A value with what it moved by."""
    return f"{mover.value} ({_said(mover.change)})"


def _findings_of(found: Investigation, words: str) -> list[str]:
    return [one.summary for one in found.findings if re.search(words, one.summary)]


def _factor(found: Investigation) -> Answer | None:
    lines = _findings_of(found, r"[Ff]actors?|share of rows|numerator|value of each|number of (?:rows|units)")
    named = {"volume": "the number of rows", "rate": "the value of each", "mix": "the mix"}
    for one in found.explanations or ():
        if one.kind in named:
            itself = one.kind == "rate" and one.title.startswith("The metric itself")
            what = "the metric itself, not the mix" if itself else named[one.kind]
            lines.insert(0, f"Explanation {one.rank} is about {what}: {one.title}.")
    return ("\n".join(dict.fromkeys(lines)), (tree_of.LEDGER, tree_of.EXPLANATIONS)) if lines else None


def _ruled_out(found: Investigation) -> Answer | None:
    lines: list[str] = []
    for one in found.hypotheses:
        if one.status == "RULED_OUT":
            why = [f.summary for f in found.findings if f.hypothesis_affected == one.hypothesis_id]
            lines.append(f"{one.title.rstrip('.')}: {why[-1] if why else 'it was ruled out.'}")
    return ("\n".join(lines), (tree_of.LEDGER,)) if lines else ("Nothing was ruled out.", (tree_of.LEDGER,))


def _sure(found: Investigation) -> Answer | None:
    told = [one for one in found.explanations or () if one.kind != "noise"]
    if not told:
        return _nothing_proven(found)
    lines: list[str] = []
    for one in told:
        errors = [each for each in sentences_in(one.reasoning) if "standard errors" in each]
        lines.append(" ".join([f"{one.rank}. {one.title} ({one.likelihood}).", *errors]))
    beyond = [mover.value for mover in found.breakdown if mover.verdict == "beyond noise"][:MOST_LISTED]
    if beyond:
        lines.append(f"Beyond their own noise are {join_list(beyond)}.")
    return "\n".join(lines), (tree_of.EXPLANATIONS, tree_of.BREAKDOWN)


def sentences_in(text: str) -> list[str]:
    """A text at its full stops."""
    return re.split(r"(?<=\.)\s", text)


def _complete(found: Investigation) -> Answer | None:
    faults = [one for one in found.explanations or () if one.kind in {"data_fault", "outlier"}]
    lines = [f"{one.title}. {one.reasoning}" for one in faults]
    lines += [] if faults else ["No fault of the data was found."]
    lines += _findings_of(found, "tested for faults")[:1]
    return "\n".join(lines), (tree_of.EXPLANATIONS, tree_of.LEDGER)


def _expected(found: Investigation) -> Answer | None:
    lines = [cause_line(one) for one in found.explanations or () if one.kind in {"seasonal", "calendar", "trend"}]
    lines += _findings_of(found, "calendar was compared")[:1]
    return ("\n".join(lines), (tree_of.EXPLANATIONS, tree_of.LEDGER)) if lines else None


def bullets_of(found: Investigation, title: str) -> list[str]:
    """The items of the lists in a section of the report."""
    lines: list[str] = []
    inside = False
    for line in (found.report or "").splitlines():
        if line.startswith("## "):
            inside = line[3:].strip() == title
        elif inside and line.strip().startswith(("-", "*")):
            lines.append(line.strip().lstrip("-* ").strip())
    return lines


def _next(found: Investigation) -> Answer | None:
    lines = bullets_of(found, "Recommended Next Steps")
    return ("\n".join(lines), (tree_of.REPORT,)) if lines else None


def _rest(found: Investigation) -> Answer | None:
    lines = re.findall(r"Unexplained stays [^\n]*", found.report or "")
    return (lines[-1].replace("\\", "").strip("* "), (tree_of.REPORT,)) if lines else None


def _when(found: Investigation) -> Answer | None:
    lines = [one.summary for one in found.findings if re.search(r"\d{4}-\d{2}-\d{2}", one.summary)]
    for one in found.explanations or ():
        lines += [each for each in sentences_in(one.reasoning) if re.search(r"\d{4}-\d{2}-\d{2}", each)]
    return ("\n".join(dict.fromkeys(lines)), (tree_of.LEDGER, tree_of.EXPLANATIONS)) if lines else None


def _change(found: Investigation) -> Answer | None:
    for line in (found.report or "").splitlines():
        if line.startswith("**"):  # The headline stands first.
            return line.strip("* ").replace("\\", ""), (tree_of.REPORT,)
    return None


_ASIDES: tuple[tuple[str, Callable[[Investigation], Answer | None]], ...] = (
    (FOLLOWING, _next),
    (RULED_OUT, _ruled_out),
    (FACTOR, _factor),
    (COMPLETE, _complete),
    (SURE, _sure),
    (EXPECTED, _expected),
    (NEXT, _next),
    (REST, _rest),
    (WHEN, _when),
)
"""The kinds of question that are about the investigation itself, the narrow ones first."""

_GENERAL = frozenset({_next, _rest, _when, _expected})
"""Of a question that also names a segment, these are not what is asked."""

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
from averment.store import session_tree as tree_of

if TYPE_CHECKING:
    from averment.agents.driller.session_mirror import Investigation
    from averment.records.drilldown import Explanation, Mover

Answer = tuple[str, tuple[str, ...]]
MOST_LISTED = 5
_WORD = re.compile(r"[^\W_]+")
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}

_NUMBERED = r"\b(?:iteration|round|finding)\s+#?\d+\b"
"""A step of the investigation, which its memory tells."""

_ANOTHER = r"\b(?:average|mean|median|maximum|minimum|percentile|standard deviation|correlation|how many)\b"
"""A figure of its own, which is asked of the files and not of the metric's breakdown."""

_WITHOUT = r"\b(?:without|excluding|exclude|except|leaving out|apart from|if .* had not|ignor\w+)\b"
_FACTOR = (
    r"\bprices?\b.*\bvolumes?\b|\bvolumes?\b.*\bprices?\b|\brate\b.*\bmix\b|\bmix\b.*\brate\b"
    r"|\b(?:volume|quantity|number of (?:orders|rows|sales))\b.*\b(?:value|basket|amount|size)\b|\bprice effect\b"
    r"|\bvolume effect\b|\bfewer (?:orders|rows|sales|customers)\b|\bmore (?:orders|rows|sales)\b|\bcheaper\b"
)
_RULED_OUT = r"\bruled?[ -]out\b|\breject\w*|\bdismiss\w*|\bdiscard\w*|\bexclude[sd]? as\b|\bnot the (?:cause|reason)\b"
_SURE = (
    r"\bhow (?:sure|certain|confident|reliable|significant)\b|\bconfiden\w+|\bnoise\b|\brandom\w*|\bchance\b"
    r"|\bsignifican\w+|\bcoincidence\b|\btrust\b|\bare you sure\b|\bproven?\b|\bcould it be wrong\b"
)
_COMPLETE = (
    r"\bcomplete\b|\bdata (?:quality|problems?|issues?|faults?|errors?)\b|\bmissing (?:data|days|rows|values)\b"
    r"|\bduplicat\w*|\b(?:wrong|broken|bad|faulty) data\b|\bdata (?:ok|okay|fine|good|clean|wrong|broken)\b"
    r"|\b(?:is|are) the data\b|\bdata fault\b|\bnulls?\b|\boutliers?\b"
)
_EXPECTED = (
    r"\bseason\w*|\bcalendar\b|\bweekdays?\b|\bholidays?\b|\btrends?\b|\bexpected\b|\bevery year\b"
    r"|\blast year\b|\busual\b"
)
_NEXT = (
    r"\bnext\b|\brecommend\w*|\bshould (?:we|i|they|one)\b|\bwhat (?:can|could) (?:we|i) do\b|\bactions?\b|\bto do\b"
    r"|\bcheck\b|\bfollow up\b|\badvice\b|\bsuggest\w*"
)
_REST = (
    r"\bunexplained\b|\bnot explained\b|\bremain\w*|\bleft over\b|\bunaccounted\b|\brest of\b|\bhow much .* explain\w*"
)
_WHEN = r"\bwhen\b|\bsince\b|\bwhich day\b|\bwhat day\b|\bstart\w*\b|\bbegan\b|\bonset\b"
_MOVERS = (
    r"\b(?:movers?|drivers?|detractors?|breakdown|break down|contribut\w+|most|largest|biggest|top|worst|best|which)\b"
)
_CAUSES = (
    r"\bcauses?\b|\breasons?\b|\bwhy\b|\bexplanations?\b|\bexplains?\b|\bdrivers?\b|\bculprits?\b|\bwhat happened\b"
    r"|\bresponsible\b|\bbehind\b|\bdrove\b|\bdriving\b|\bwhat (?:did you|was) f(?:ind|ound)\b|\bmost likely\b|\btop \d"
)
_CHANGE = (
    r"\bhow (?:much|far|large|big|strongly)\b|\boverall\b|\bsummar\w+|\bheadline\b|\btl;?dr\b|\bin short\b"
    r"|\b(?:total|overall) change\b|\bwhat (?:is|was) the change\b"
)


def answer_directly(found: Investigation, text: str) -> Answer | None:
    """The answer to a question of a known kind with the files it comes from, or None."""
    if found.explanations is None or _is(text, _NUMBERED) or _is(text, _ANOTHER):
        return None
    named = _named_movers(found.breakdown, text)
    dimension = _named_dimension(found.breakdown, text)
    if named and _is(text, _WITHOUT):
        return _without(found, named[0])
    for pattern, tell in _ASIDES:
        if _is(text, pattern) and not (named and tell in _GENERAL):
            told = tell(found)
            if told is not None:
                return told
    if named:
        return _segment(found, named)
    if dimension is not None and (_is(text, _MOVERS) or _is(text, r"\b(?:by|per|each|every|across)\b")):
        return _dimension(found, dimension)
    if _is(text, _CAUSES) and _unnamed(found, text):
        return _causes(found, _wanted(text))
    if _is(text, _CHANGE) and _unnamed(found, text):
        return _change(found)
    return None


def _said(value: float) -> str:
    """A number as a reader needs it."""
    plain = float(f"{value:.12g}")
    return show(plain, decimals=places_of(plain))


def _is(text: str, pattern: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _named_movers(movers: Sequence[Mover], text: str) -> list[Mover]:
    """The values of the breakdown that a question names, the longest names first."""
    asked = f" {' '.join(_words(text))} "
    found = [
        mover
        for mover in movers
        if (name := " ".join(_words(mover.value))) and len(name) > 1 and f" {name} " in asked and not name.isdigit()
    ]
    if not found:
        found = [
            mover
            for mover in movers
            if mover.value.isdigit() and f" {' '.join(_words(mover.dimension))} {mover.value} " in asked
        ]
    longest = max((len(mover.value) for mover in found), default=0)
    return [mover for mover in found if len(mover.value) == longest or f" {' '.join(_words(mover.value))} " in asked][
        :3
    ]


def _named_dimension(movers: Sequence[Mover], text: str) -> str | None:
    asked = set(_words(text))
    asked |= {word.removesuffix("s") for word in asked} | {word.removesuffix("es") for word in asked}
    asked |= {f"{word.removesuffix('ies')}y" for word in asked if word.endswith("ies")}
    names = dict.fromkeys(mover.dimension for mover in movers)
    return next((name for name in names if set(_words(name.rpartition(".")[2])) <= asked), None)


def _unnamed(found: Investigation, text: str) -> bool:
    """Whether a question names nothing in particular, such as a value that the breakdown does not hold."""
    from averment.agents.driller.chat_question import read_question

    names = read_question(text, metric=found.context.metric_sql).names
    return all(name.isdigit() or name in _NUMBERS for name in names)


def _figures(mover: Mover) -> str:
    before, after = (_said(value) if value is not None else "nothing" for value in (mover.before, mover.after))
    text = f"{mover.value} ({mover.dimension}) went from {before} to {after}, a change of {_said(mover.change)}"
    if mover.share is not None and abs(mover.share) < 10:
        text += f" ({show(mover.share, unit='percent')} of the whole change)"
    if mover.low is not None and mover.high is not None:
        text += f"; 95 % interval {_said(mover.low)} to {_said(mover.high)}"
    return f"{text}: {'beyond its own noise' if mover.verdict == 'beyond noise' else 'within its own noise'}."


def _segment(found: Investigation, named: Sequence[Mover]) -> Answer:
    lines = [_figures(mover) for mover in named]
    for mover in named:
        for one in found.explanations or ():
            if one.segment.get(mover.dimension) == mover.value:
                lines.append(f"It is part of explanation {one.rank}: {one.title}.")
    return "\n".join(dict.fromkeys(lines)), (tree_of.BREAKDOWN, tree_of.EXPLANATIONS)


def _without(found: Investigation, mover: Mover) -> Answer | None:
    """The metric without one value; only a sum can be had without one by taking its part away."""
    rows = [one for one in found.breakdown if one.dimension == mover.dimension]
    if any(one.mix_part for one in rows) or mover.before is None or mover.after is None:
        return (
            f"{_figures(mover)} The metric is a quotient, so it cannot be had without {mover.value} by subtraction.",
            (tree_of.BREAKDOWN,),
        )
    total = _total_change(found)
    if total is None:
        return None
    rest = total - mover.change
    text = f"Without {mover.value} the change would be {_said(rest)} instead of {_said(total)}. {_figures(mover)}"
    return text, (tree_of.BREAKDOWN,)


def _total_change(found: Investigation) -> float | None:
    for mover in found.breakdown:
        if mover.share:
            return mover.change / mover.share
    return None


def _dimension(found: Investigation, dimension: str) -> Answer:
    rows = [mover for mover in found.breakdown if mover.dimension == dimension][:MOST_LISTED]
    return "\n".join(_figures(mover) for mover in rows), (tree_of.BREAKDOWN,)


def _wanted(text: str) -> int:
    number = re.search(r"\b(?:top|first|main|biggest|largest)?\s*(\d+|one|two|three|four|five)\b", text.lower())
    if number is None:
        return MOST_LISTED
    return _NUMBERS.get(number.group(1)) or min(max(int(number.group(1)), 1), 10)


def _causes(found: Investigation, most: int = MOST_LISTED) -> Answer:
    told = [one for one in found.explanations or () if one.kind != "noise"]
    if not told:
        return _nothing_proven(found)
    lines = [_cause_line(one) for one in told[:most]]
    return "\n".join(lines), (tree_of.EXPLANATIONS,)


def _cause_line(one: Explanation) -> str:
    line = f"{one.rank}. {one.title} ({one.likelihood})"
    if one.effect:
        line += f": {_said(one.effect)}"
        if one.share is not None and abs(one.share) < 10:
            line += f", {show(one.share, unit='percent')} of the change"
    return f"{line}."


def _nothing_proven(found: Investigation) -> Answer:
    rows = sorted(found.breakdown, key=lambda mover: -abs(mover.change))[:3]
    movers = join_list([f"{mover.value} ({_said(mover.change)})" for mover in rows])
    tail = f" The largest movers are {movers}." if rows else ""
    return f"No cause is proven.{tail}", (tree_of.EXPLANATIONS, tree_of.BREAKDOWN)


def _findings_of(found: Investigation, words: str) -> list[str]:
    return [one.summary for one in found.findings if re.search(words, one.summary)]


def _factor(found: Investigation) -> Answer | None:
    lines = _findings_of(found, r"[Ff]actors?|share of rows|numerator|value of each|number of (?:rows|units)")
    named = {"volume": "the number of rows", "rate": "the value of each", "mix": "the mix"}
    for one in found.explanations or ():
        if one.kind in named:
            lines.insert(0, f"Explanation {one.rank} is about {named[one.kind]}: {one.title}.")
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
        errors = [s for s in re.split(r"(?<=\.)\s", one.reasoning) if "standard errors" in s]
        lines.append(" ".join([f"{one.rank}. {one.title} ({one.likelihood}).", *errors]))
    beyond = [mover.value for mover in found.breakdown if mover.verdict == "beyond noise"][:MOST_LISTED]
    if beyond:
        lines.append(f"Beyond their own noise are {join_list(beyond)}.")
    return "\n".join(lines), (tree_of.EXPLANATIONS, tree_of.BREAKDOWN)


def _complete(found: Investigation) -> Answer | None:
    faults = [one for one in found.explanations or () if one.kind in {"data_fault", "outlier"}]
    lines = [f"{one.title}. {one.reasoning}" for one in faults]
    lines += [] if faults else ["No fault of the data was found."]
    lines += _findings_of(found, "tested for faults")[:1]
    return "\n".join(lines), (tree_of.EXPLANATIONS, tree_of.LEDGER)


def _expected(found: Investigation) -> Answer | None:
    lines = [_cause_line(one) for one in found.explanations or () if one.kind in {"seasonal", "calendar", "trend"}]
    lines += _findings_of(found, "calendar was compared")[:1]
    return ("\n".join(lines), (tree_of.EXPLANATIONS, tree_of.LEDGER)) if lines else None


def _section(found: Investigation, title: str) -> list[str]:
    lines: list[str] = []
    inside = False
    for line in (found.report or "").splitlines():
        if line.startswith("## "):
            inside = line[3:].strip() == title
        elif inside and line.strip().startswith(("-", "*")):
            lines.append(line.strip().lstrip("-* ").strip())
    return lines


def _next(found: Investigation) -> Answer | None:
    lines = _section(found, "Recommended Next Steps")
    return ("\n".join(lines), (tree_of.REPORT,)) if lines else None


def _rest(found: Investigation) -> Answer | None:
    lines = re.findall(r"Unexplained stays [^\n]*", found.report or "")
    return (lines[-1].replace("\\", "").strip("* "), (tree_of.REPORT,)) if lines else None


def _when(found: Investigation) -> Answer | None:
    lines = [one.summary for one in found.findings if re.search(r"\d{4}-\d{2}-\d{2}", one.summary)]
    for one in found.explanations or ():
        lines += [s for s in re.split(r"(?<=\.)\s", one.reasoning) if re.search(r"\d{4}-\d{2}-\d{2}", s)]
    return ("\n".join(dict.fromkeys(lines)), (tree_of.LEDGER, tree_of.EXPLANATIONS)) if lines else None


def _change(found: Investigation) -> Answer | None:
    for line in (found.report or "").splitlines():
        if line.startswith("**") and " went from " in line:
            return line.strip("* ").replace("\\", ""), (tree_of.REPORT,)
    return None


_ASIDES: tuple[tuple[str, Callable[[Investigation], Answer | None]], ...] = (
    (_RULED_OUT, _ruled_out),
    (_FACTOR, _factor),
    (_COMPLETE, _complete),
    (_SURE, _sure),
    (_EXPECTED, _expected),
    (_NEXT, _next),
    (_REST, _rest),
    (_WHEN, _when),
)
"""The kinds of question that are about the investigation itself, the narrow ones first."""

_GENERAL = frozenset({_next, _rest, _when, _expected})
"""Of a question that also names a segment, these are not what is asked."""

"""Relations over texts: a quotation, an answer made of quoted words, sources that disagree, and what no source says.

An answer says no word that its quotations, the names of its documents or a closed list of joining words do not say. A
disagreement has its sides in different sources, and each side says the value that is told of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from averment.claims.relation import Relation
from averment.claims.sealed import SealedResult
from averment.claims.speech import has, slot, value_of
from averment.evidence.bind import literal
from averment.records.claim import Claim
from averment.records.run import SpanEvidence

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
JOINING = frozenset(
    "yes no the a of is it and in for by its supersedes superseded replaces replaced requires required status two "
    "documents fit names none not found has field".split()
)
"""Words an answer may say of itself: its verdict, and what joins the words of its sources."""


def words_of(text: str) -> list[str]:
    """The words and numbers of a text, in one case."""
    return [word.casefold() for word in _WORD.findall(text.replace("\u2019", "'"))]


def says_no_more(text: str, quotes: Iterable[str], names: Iterable[str] = (), *, joining: bool = False) -> bool:
    """Whether a text has only words that its quotations, the names of their sources and joining words have."""
    given = set(words_of(" ".join([*quotes, *names])))
    return set(words_of(text)) <= (given | JOINING if joining else given)


def _spans(claim: Claim, role: str) -> list[SpanEvidence]:
    return [value.evidence for value in claim.values if value.role == role and value.evidence.kind == "span"]


def _quotation_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    told = [value for value in claim.values if value.role in {"quote", "subject"}]
    return has(claim, "quote") and len(told) == len(claim.values) and all(one.evidence.kind == "span" for one in told)


def _quotation_said(claim: Claim) -> str:
    return f"{slot(claim, 'subject')} {slot(claim, 'quote')}" if has(claim, "subject") else slot(claim, "quote")


def _answered_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    """Every word stands in a quotation or in a document's name; what is set apart is a closed list."""
    quotes = _spans(claim, "source")
    answer = value_of(claim, "answer")
    if not quotes or answer.evidence.kind != "result" or not answer.text.strip():
        return False
    names = claim.words.get("documents", "").split("\n")
    return says_no_more(answer.text, (one.quote for one in quotes), names, joining=True)


_ENDS = {
    "not searched": "Not answered: the search failed before {where} were searched.",
    "out of time": "Not answered: the time ran out before {where} were searched.",
    "denied": "The sources do not answer this as it is asked.{notes} Searched: {where}.{read}{cut}",
    "nothing passed": "No answer was found.{notes} Searched: {where}.{read}{cut}",
}


def _absent_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    """What was searched is named; what was read of it was counted by the call that read it."""
    if claim.words.get("reason") not in _ENDS or not claim.words.get("where"):
        return False
    read = [value for value in claim.values if value.role in {"sentences", "opened"}]
    return all(value.evidence.kind == "result" for value in read) and len(read) in {0, 2}


def _absent_said(claim: Claim) -> str:
    read = ""
    if has(claim, "opened"):
        read = f" {slot(claim, 'sentences')} sentences of the {slot(claim, 'opened')} most likely were read."
    notes = claim.words.get("notes", "")
    parts = {
        "where": literal(claim.words["where"]),
        "notes": f" {literal(notes)}" if notes else "",
        "read": read,
        "cut": " The time ran out before all questions were asked." if claim.words.get("cut") else "",
    }
    said = _ENDS[claim.words["reason"]]
    for name, text in parts.items():
        said = said.replace(f"{{{name}}}", text)
    return said


_QUOTED = r"(?P<{}>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
_ONE, _TWO = _QUOTED.format("one"), _QUOTED.format("two")
RESOLUTIONS = tuple(
    map(
        re.compile,
        (
            rf"Consensus: \d+ independent sources say {_ONE}, one says {_TWO}\.",
            rf"Recency: {_ONE} is of \d{{4}}-\d\d-\d\d, {_TWO} of \d{{4}}-\d\d-\d\d; the figure changes with time, so "
            r"the newer one is preferred\.",
            rf"Credibility: \S+ \(\d\.\d\d\) says {_ONE}; the best source for {_TWO} has \d\.\d\d\.",
            rf"Uncertain: sources say {_ONE} and {_TWO}; no rule decides, so both are shown\.",
        ),
    )
)
"""The sentences by which a disagreement is settled or left open."""

_STANCES = frozenset({"affirmed", "denied"})


def _disagrees_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    """Two values that are not the same, and each stands in a source of its own."""
    sides = _spans(claim, "side")
    found = next((m for form in RESOLUTIONS if (m := form.fullmatch(claim.words.get("resolution", "")))), None)
    if found is None:
        return False
    values = [found[name][1:-1].replace("\\'", "'").replace("\\\\", "\\") for name in ("one", "two")]
    if words_of(values[0]) == words_of(values[1]):
        return False
    one, two = ({side.snapshot_sha256 for side in sides if _is_told_by(value, side)} for value in values)
    return bool(one and two) and len(one | two) > 1


def _is_told_by(value: str, side: SpanEvidence) -> bool:
    return value in _STANCES or says_no_more(value, [side.quote])


def _disagrees_said(claim: Claim) -> str:
    return f"Sources disagree on this. {literal(claim.words['resolution'])}"


RELATIONS = (
    Relation(
        "quotation",
        "A sentence of an archived source, word for word at its place.",
        _quotation_holds,
        _quotation_said,
    ),
    Relation(
        "answered",
        "An answer in the words of its sources: no word of it stands elsewhere than in what it quotes.",
        _answered_holds,
        lambda claim: slot(claim, "answer"),
        silent=frozenset({"source"}),
    ),
    Relation(
        "absent",
        "How much was searched without finding anything, and whether time ran out.",
        _absent_holds,
        _absent_said,
    ),
    Relation(
        "disagrees",
        "Different sources give different values, each of which stands in its source.",
        _disagrees_holds,
        _disagrees_said,
        silent=frozenset({"side"}),
    ),
)

"""What speaks for and against a sentence as the answer to a question, and what rules it out."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from averment.corpus.answering.expect import counted, fits, says_another, says_nothing_new
from averment.corpus.answering.library import Library, TextLine
from averment.corpus.answering.question import CorpusQuestion, QuestionTerm
from averment.corpus.answering.releases import is_of_another_release, release_of, wants_release
from averment.corpus.answering.words import STOP, is_met, keys, kin_of
from averment.corpus.structure.shape import Block

FEATURES = (
    "full own cosine context fits phrase hole bound short item row about heads pair exact tense focus verb "
    "behind_full behind_cosine behind_context crowd many defines reason dated unmet named asked valued released rare "
    "orphan announces counted fragment foreign lack pointer "
    "yesno how thing"
).split()
"""What speaks for or against a sentence, by name; the order is that of the fitted weights."""

_HYPOTHETICAL = re.compile(
    r"\b(?:would|will|expected|scheduled|planned|could|might|should|proposes?|if)\b", re.IGNORECASE
)
_ANNOUNCES = re.compile(r":$|\b(?:the following|as follows|see below)\b", re.IGNORECASE)
_PAST = re.compile(r"^(?:when|who|why|how|in) .*\b(?:was|were|did|released)\b|^release date")
_ORPHAN = re.compile(
    r"(?:This|That|These|Those|It|They|He|She) (?:(is|are|was|were)\b|has|have|had|can|will|must|may|should|does)\b"
)
"""A sentence whose subject is named elsewhere."""
_ASKS = re.compile(r"\?$|^(?:how|why|what|which|who|when|where|can|could|do|does|is|are|should|will)\b", re.IGNORECASE)
_KEYED = re.compile(r"^(.{1,50}?)(?::\s+| [–—-]{1,2} )(\S.*)$")
_CLOSED = re.compile(r"[.!?:;)\"'”]$")
_FEW_NAMED = 4
WHOLE = 0.84
_FAR = 0.39
_HARD = frozenset({"name", "literal", "number"})
_POINTER = re.compile(r"\(?(?:Please )?(?:[Ss]ee\b|[Rr]efer to\b|[Ff]or (?:more|further) (?:details?|information)\b)")
"""What only says where to read on."""
_NEAR = 0.74
_BY_EXAMPLE = ("how", "thing")
"""What a command may answer."""

Scores = npt.NDArray[np.float32]


def features_of(
    question: CorpusQuestion,
    library: Library,
    place: int,
    asked: Sequence[QuestionTerm],
    covers: Mapping[str, Scores],
    total: float,
) -> dict[str, float] | None:
    """What speaks for or against a sentence; None where it cannot answer at all."""
    line = library.lines[place]
    block, text = library.block_of(line), line.unit.text
    release = release_of(block) if wants_release(question) else ""
    shown = f"{release}: {text}" if release else text
    kind = fits(question, shown, line.unit.code, library.small_words if question.expects == "person" else ())
    listing = question.wants_list or question.expects in ("thing", "how", "difference")
    announces = bool(_ANNOUNCES.search(text))
    example = question.expects in _BY_EXAMPLE and library.example_after(line) is not None
    opens = announces and ((listing and bool(library.items_after(line))) or example)
    if announces and not opens and not (listing and line.unit.code):
        return None  # It says that something follows, and what follows is not what is asked for.
    if kind <= -1 and (block.kind != "row" or question.expects == "date") and not opens:
        return None
    if says_another(question, text) or (question.expects != "yesno" and says_nothing_new(question, shown)):
        return None
    if question.expects == "yesno" and (block.kind == "row" or _is_fragment(block, text)):
        return None  # A row or a caption has no predicate.
    if block.kind == "row" and ((question.expects == "why" and kind < 1) or is_of_another_release(question, block)):
        return None
    orphan = _ORPHAN.match(text) if line.before is None and question.expects != "yesno" else None
    if orphan and orphan[1] and len(block.path) > 1 and not _ASKS.search(block.path[-1]):
        return None  # What is said to be something stands in a heading or elsewhere: told alone it says nothing.
    mine = keys(line.whole)
    held = set(mine)
    order = [term.key for term in asked]
    pairs = list(pairwise(order))
    adjacent = sum(any(b in mine[i : i + 4] for i, one in enumerate(mine) if one == a) for a, b in pairs)
    wanted = set(order) | {other for one in order for other in kin_of(one)}
    telling = {one: library.telling(one) for one in held if one not in STOP}
    exact = sum(telling.get(one, 0.0) for one in held & wanted) / max(1e-9, sum(telling.values()))
    heads = {one for title in block.path for one in keys(title)}
    card = library.cards[line.document]
    profile = library.profiles[line.document]
    verbs = [
        0.5 * (covers[v][place] >= _NEAR) + 0.5 * (covers[v][place] >= WHOLE) for v in question.verbs if v in covers
    ]
    holes = [term.weight * (1 - float(covers[term.key][place])) for term in asked if term.role != "soft"]
    focused = is_met(question.focus, held)
    return {
        "fits": max(kind, -0.5),
        "phrase": adjacent / max(1, len(pairs)),
        "hole": max(holes, default=0.0) / total,
        "bound": float(bool(question.bound)),
        "short": float(line.size < 6 and block.kind == "para"),
        "item": float(block.kind == "item"),
        "row": float(block.kind == "row"),
        "about": sum(t.weight for t in asked if t.key in card.title_keys or t.key in profile) / total,
        "heads": sum(term.weight for term in asked if term.key in heads) / total,
        "pair": pair_of(question, library, line),
        "exact": exact,
        "tense": float(bool(_PAST.search(question.low) and _HYPOTHETICAL.search(text))),
        "focus": float(bool(question.focus) and focused),
        "verb": float(min(verbs, default=0.5)),
        # What it speaks of stands in a heading or another paragraph; at the head of a document it is its subject.
        "orphan": float(bool(orphan)) * (1.0 if len(block.path) > 1 else 0.3),
        "announces": float(announces),
        "fragment": float(_is_fragment(block, text)),
        "lack": sum(t.weight for t in asked if t.role in _HARD and covers[t.key][place] < _FAR) / total,
        "pointer": float(bool(_POINTER.match(text)) and question.expects != "place"),
        "foreign": foreign(asked, library, covers, place),
        "unmet": sum(term.weight for term in asked if term.role == "unmet") / total,
        "named": sum(t.weight for t in asked if t.key in card.title_keys or t.key in card.name_keys) / total,
        "asked": _asked_above(block, wanted),
        "valued": _valued(question, text, block, asked),
        "released": float(bool(release)),
        "counted": counted(question, text),
        "rare": rarest_of(asked, covers, place),
        "yesno": float(question.expects == "yesno"),
        "how": float(question.expects == "how"),
        "thing": float(question.expects == "thing"),
    }


def _is_fragment(block: Block, text: str) -> bool:
    """Whether a paragraph is one stretch of words that ends without a stop: a caption, or what markup left over."""
    return block.kind == "para" and len(block.units) == 1 and not _CLOSED.search(text)


def foreign(asked: Sequence[QuestionTerm], library: Library, covers: Mapping[str, Scores], place: int) -> float:
    """1 where a question names what some documents are called after, and this sentence is of another one without it."""
    mine = library.lines[place].document
    for term in asked:
        owners = library.called(term.key)
        if 0 < len(owners) <= _FEW_NAMED and mine not in owners and covers[term.key][place] < 1:
            return 1.0
    return 0.0


def rarest_of(asked: Sequence[QuestionTerm], covers: Mapping[str, Scores], place: int) -> float:
    """How far a sentence covers the two most telling words of a question."""
    most = sorted((term for term in asked if term.role != "soft"), key=lambda term: (-term.weight, term.key))[:2]
    return sum(float(covers[term.key][place]) for term in most) / max(1, len(most))


def _asked_above(block: Block, wanted: Collection[str]) -> float:
    """How far the heading above is the very question: it asks something, and its words are those of the question."""
    title = block.path[-1] if block.path else ""
    if not _ASKS.search(title):
        return 0.0
    own = {one for one in keys(title) if one not in STOP}
    return len(own & set(wanted)) / len(own) if own else 0.0


def _valued(question: CorpusQuestion, text: str, block: Block, asked: Sequence[QuestionTerm]) -> float:
    """Where a line is "key: value" or "key - value" and its key is asked for: how far the value is the question."""
    match = _KEYED.match(text)
    if not match or block.kind == "row" or question.expects not in ("thing", "how", "place", "person"):
        return 0.0
    held = set(keys(match[2]))
    open_terms = [term for term in asked if term.key != question.focus and term.role != "soft"]
    total = sum(term.weight for term in open_terms)
    met = sum(term.weight for term in open_terms if is_met(term.key, held))
    return met / total if total else 0.0


def pair_of(question: CorpusQuestion, library: Library, line: TextLine) -> float:
    """How far the key of a row or of "key: value" is what a question asks for; 0 where there is no key."""
    block = library.block_of(line)
    if block.kind == "row":
        named = block.cells[0][1]
    else:
        match = re.match(r"^([^:]{2,60}):\s+\S", line.unit.text)
        if not match or block.kind == "para":
            return 0.0
        named = match[1]
    asked = set(keys(question.low))
    asked |= {other for one in asked for other in kin_of(one)}
    own = set(keys(named))
    return len(own & asked) / len(own) if own else 0.0


def beside_others(
    question: CorpusQuestion, library: Library, rows: list[tuple[int, dict[str, float]]], many: int
) -> None:
    """Add to the features of sentences how each stands among the others."""
    for name in ("full", "cosine", "context"):
        top = max((features[name] for _, features in rows), default=0.0)
        for _, features in rows:
            features[f"behind_{name}"] = features[name] - top
    owners = [library.lines[place].document for place, _ in rows]
    for place, features in rows:
        features["crowd"] = owners.count(library.lines[place].document) / len(rows)
        features["many"] = min(many, 10) / 10
        for name, kind in (("defines", "definition"), ("reason", "why"), ("dated", "date")):
            features[name] = features["fits"] if question.expects == kind else 0.0

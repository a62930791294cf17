"""A question taken apart: its parts, what kind of answer it expects, and its keys with their weights and roles."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from averment.corpus.answering.library import Library
from averment.corpus.answering.words import STOP, is_number, key, kin_of, tokens
from averment.language.embeddings.weights import common_words
from averment.language.linking.affinity import distance
from averment.language.word_lists import patterns, word_lists

Expected = Literal[
    "definition", "why", "person", "date", "duration", "number", "place", "yesno", "difference", "how", "thing"
]
Role = Literal["word", "number", "name", "literal", "soft", "unmet", "unknown"]
"""A plain word that no document uses is unmet, for another word may stand for it; a name that none uses is unknown."""

NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
DOCUMENT_NOUNS = frozenset({"proposal", "document", "paper", "page", "file", "guide", "readme", "report"})
"""Nouns for a document; those that say how documents of a folder are called come from the folder itself."""

_PATTERNS = patterns("question", "averment.corpus.answering")
_WORDS = word_lists("question", "averment.corpus.answering")
SOFT = frozenset(key(word) for word in _WORDS["soft"].split()) | {key(word) for word in NUMBER_WORDS}
"""Keys that say how a question is asked; they count little where a sentence lacks them."""

_OF_A_KIND = (
    r"(?:in |on |at |to |by |with |for |from |under )?(?:what|which) "
    r"(?!(?:is|are|was|were|does|do|did|can|will|percentage|share|size|cost|limit|maximum|minimum|number|amount)\b)[a-z]"
)
"""A question that asks for one of a kind ("which program", "what message attribute"), whatever is counted behind it."""
_ORDERS = "limit|set|change|make|get|let|stop|use|run|find|show|turn|keep|share|allow|reduce|increase|raise|lower"

_WORDINGS: tuple[tuple[Expected, str], ...] = (
    (
        "definition",
        r"^define\s+\S|^(?:what (?:is|are|was|were)|what's)\s+(?:(?:an?|the)\s+)?"
        r"(?!.*\b(?:of|in|for|to|by|with|on|that|at|from|maximum|minimum|name|number|default|status|date|difference|reason|purpose|version|license|licence)\b)"
        r"(?:[\w\"'`.:!&*+/-]+\s*){1,4}$|\bwhat does .* mean\b|\bmeaning of\b|\bmeant by\b|\bdefinition of\b",
    ),
    (
        "why",
        r"^why\b|\bwhat (?:is|was|were|are) the (?:reasons?|rationale|motivation)\b|\breasons? (?:for|against|why)|"
        r"\bfor what reason",
    ),
    ("person", r"^who\b|^whose\b|\bby whom\b"),
    (
        "date",
        r"^when\b|\b(?:which|what) (?:year|date|day|month)\b|\bdate of\b|"
        r"\b(?:release|start|creation) date\b|^since when",
    ),
    ("duration", rf"^(?!{_OF_A_KIND}).*\bhow (?:long|often)\b"),
    (
        "number",
        rf"^(?!{_OF_A_KIND})(?:.*\bhow (?:many|much|large|big|fast|few|high|old|far|deep|wide|tall|heavy|thick|broad)"
        rf"\b|(?!(?:how|why|where|{_ORDERS})\b).*\b(?:maximum|minimum|percentage|speedup|overhead|size|limit|share|"
        r"cost)\b)",
    ),
    ("place", r"^where\b"),
    ("yesno", r"^(?:is|are|was|were|does|do|did|can|could|will|would|should|has|have|had|may|must)\b"),
    ("difference", r"\bdiffer(?:s|ence|ences|ent)?\b|\bcompared? (?:to|with)\b|\bversus\b|\bvs\b"),
    ("how", r"^how\b"),
)
_EXPECTED: tuple[tuple[Expected, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern)) for name, pattern in _WORDINGS
)
_LISTED = re.compile(_PATTERNS["listed"])
_PHRASES = (
    (re.compile(r"\b([A-Za-z]{2,})v(\d+(?:\.\d+)*)\b"), r"\1 \2"),
    (re.compile(r"\bturned? down\b", re.IGNORECASE), "rejected"),
    (re.compile(r"\b(?:come|came|comes) out\b", re.IGNORECASE), "released"),
    (re.compile(r"\bget rid of\b", re.IGNORECASE), "remove"),
    (re.compile(r"\bend[- ]of[- ]life\b", re.IGNORECASE), "end"),
    (
        re.compile(
            r"\bif (?:i|you|we|one) (?:do not|don't) (?:say|specify|set|give|state)(?: \w+)?\b|"
            r"\b(?:unless|if not) (?:told|said|specified|set|stated)(?: otherwise)?\b",
            re.IGNORECASE,
        ),
        "by default",
    ),
    (re.compile(r"\b(?:turn|switch)(?:ed|s)? off\b", re.IGNORECASE), "disable"),
    (re.compile(r"\b(?:turn|switch)(?:ed|s)? on\b", re.IGNORECASE), "enable"),
    (re.compile(r"\b(?:fall|falls|fell) back (?:to|on)\b", re.IGNORECASE), "default to"),
    (re.compile(r"\bthr(?:ow|ows|own|ew) (?:away|out)\b", re.IGNORECASE), "discard"),
)
_WITHIN = re.compile(
    r"^what (?:is|are) (?:an? |the )?(?:[\w-]+ ){1,4}?(?:under|in|within|according to) (?:the |a )?(.+)$"
)
"""What something is in a document: a definition, where the rest names one."""
_MAIN_CLAUSE = re.compile(_PATTERNS["main_clause"])
"""The question itself behind what it is asked of: "when a cache is full, which entry goes?"."""
_ASK = r"(?:(?:in|for|by|to|at|of|from|on|under) )?(?:who|when|which|what|how|where|why)\b"
_AUXILIARY = re.compile(r"\b(?:does|do|did|is|are|was|were|has|have|will|can|should)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QuestionTerm:
    """A key of a question with its weight and role."""

    key: str
    weight: float
    role: Role


@dataclass(slots=True)
class CorpusQuestion:
    """One question as it is searched with."""

    text: str
    low: str
    expects: Expected
    wants_list: bool
    terms: list[QuestionTerm] = field(default_factory=list[QuestionTerm])
    bound: list[int] = field(default_factory=list[int])
    missing: list[str] = field(default_factory=list[str])
    focus: str = ""
    verbs: list[str] = field(default_factory=list[str])

    @property
    def asked(self) -> list[str]:
        """Its keys."""
        return [term.key for term in self.terms]


def take_apart(text: str, library: Library, *, known: Collection[str] | None = None) -> CorpusQuestion:
    """A question with its keys weighed; ``known`` are keys that the whole corpus holds beyond the open documents."""
    for pattern, word in _PHRASES:
        text = pattern.sub(word, text)
    low = _lowered(text)
    bound, missing, rest = bind_identifiers(text, library)
    clause = _MAIN_CLAUSE.search(low)
    asking = clause[1] if clause else low
    kinds: list[Expected] = [name for name, pattern in _EXPECTED if pattern.search(asking)]
    expects: Expected = kinds[0] if kinds else "thing"
    if not kinds and (within := _WITHIN.match(low)) and _names_a_document(within[1], library):
        expects = "definition"
    question = CorpusQuestion(text, low, expects, bool(_LISTED.search(low)), bound=bound, missing=missing)
    verbs = re.findall(r"\b([a-z]{3,}ed)\b", low)
    verbs += re.findall(r"\b(?:does|do|did|can|will|should|must|may) (?:\S+ ){1,4}?([a-z]{3,})$", low)
    light = {"need", "used", "based", "named", "called"}
    question.verbs = [key(verb) for verb in verbs if verb not in STOP and verb not in light]
    match = re.search(r"\b(?:which|what)\s+(?:is the |are the )?((?:[a-z-]+\s+){0,2}?[a-z-]+)\b", low)
    words = [word for word in match[1].split() if word not in STOP] if match else []
    question.focus = key(words[0]) if words else ""
    _score_terms(question, rest, library, known)
    return question


def _names_a_document(words: str, library: Library) -> bool:
    named = {one for one in map(key, tokens(words)) if one not in STOP}
    return bool(named) and any(named <= set(card.title_keys) for card in library.cards)


def _lowered(text: str) -> str:
    return " ".join(text.split()).lower().strip().rstrip("?.! ")


def _score_terms(question: CorpusQuestion, rest: str, library: Library, known: Collection[str] | None) -> None:
    nouns = library.kinds | DOCUMENT_NOUNS
    done: set[str] = set()
    for place, token in enumerate(tokens(rest)):
        small = token.lower()
        if small in STOP or small in nouns or small.rstrip("s") in nouns:
            continue
        one = key(token)
        if one in done:
            continue
        done.add(one)
        common = library.is_common(one)
        role: Role = "number" if is_number(one) else "soft" if one in SOFT else "word"
        if "_" in token:
            role = "literal"
        elif role == "word" and not common and ((place and token[0].isupper()) or library.is_title(one)):
            role = "name"
        if role not in ("number", "soft") and not _is_held(one, library, known):
            plain_word = small.isalpha() and (token.islower() or not place)
            others = any(_is_held(other, library, known) for other in kin_of(one))
            role = role if others else "unmet" if plain_word else "unknown"
        weight = min(library.telling(one) + 0.5, 8.0) * {"soft": 0.25, "number": 1.2, "name": 1.2}.get(role, 1.0)
        if role == "word" and one not in question.verbs and library.is_common(one, 0.8):
            weight *= 0.2
        question.terms.append(QuestionTerm(one, weight, role))


def _is_held(one: str, library: Library, known: Collection[str] | None) -> bool:
    return library.holds(one) or (known is not None and one in known)


def bind_identifiers(text: str, library: Library) -> tuple[list[int], list[str], str]:
    """The documents named by kind and number ("RFC 12", "RFCs 12 and 15"), those named and not there, and the rest."""
    if not library.kinds:
        return [], [], text
    kinds = "|".join(sorted(map(re.escape, library.kinds), key=lambda kind: (-len(kind), kind)))
    more = rf"\s*(?:,|and|or|,\s*and)\s*(?:(?:{kinds})\s*)?0*\d{{1,6}}\b(?!\.\d)"
    pattern = rf"\b({kinds})s?[\s#-]*0*(\d{{1,6}})\b(?!\.\d)((?:{more})*)"
    bound: list[int] = []
    missing: list[str] = []
    rest, at = "", 0
    for match in re.finditer(pattern, text, re.IGNORECASE):
        kind = match[1].lower()
        for digits in (match[2], *re.findall(r"\d+", match[3] or "")):
            found = _numbered(library, digits.lstrip("0"), kind)
            bound += [one for one in found if one not in bound]
            if not found:
                missing.append(f"{match[1].upper()} {digits}")
        rest += text[at : match.start()] + " "
        at = match.end()
    rest += text[at:]
    if not bound and not missing and re.search(rf"\b(?:{kinds})s?\b", text, re.IGNORECASE):
        for digits in re.findall(r"(?<![\d.])(\d{3,6})\b(?!\.\d)", rest):
            if found := _numbered(library, digits.lstrip("0"), None):
                bound += found
                rest = re.sub(rf"\b{digits}\b", " ", rest)
    return bound, missing, rest


def _numbered(library: Library, digits: str, kind: str | None) -> list[int]:
    return [n for n, card in enumerate(library.cards) if card.number == digits and kind in (None, card.kind)]


def split_parts(text: str) -> list[str]:
    """The questions inside one question; what the first leaves out is taken from the second."""
    match = re.search(rf"^(.+?),?\s+and\s+({_ASK}.+)$", text.strip(), re.IGNORECASE)
    if not match or not re.match(_ASK, match[1], re.IGNORECASE):
        return [text]
    first, second = match[1].strip(), match[2].strip()
    verb = _AUXILIARY.search(second)
    says = r"\b(?:does|do|did|is|are|was|were|has|have|had|will|can|should|wrote|\w+ed|\w+es)\b"
    if verb and not re.search(says, first, re.IGNORECASE):
        nouns = second[: verb.start()].split()
        first = " ".join([first, *(nouns[-1:] if len(nouns) > 2 else []), second[verb.start() :]])
    return [first.rstrip("?") + "?", second]


def repair_spelling(text: str, vocabulary: Mapping[str, int]) -> str:
    """The text with its misspelt words mended: only a word that no document writes, to a near word that they write.

    A common word is none that is misspelt, whoever writes it; where no list of them is installed, short words stay.
    """
    common = common_words()
    for token in tokens(text):
        small = token.lower()
        if not small.isalpha() or len(small) < 4 or small in STOP or small in _ASKING or small in vocabulary:
            continue
        if small in common or (not common and len(small) < _SHORT):
            continue
        if any(small.removesuffix(end) in vocabulary for end in ("s", "es", "d", "ed", "ing", "ly")):
            continue
        most = 1 if len(small) < 6 else 2
        near = [
            (found, -count, word)
            for word, count in vocabulary.items()
            if word[0] == small[0] and abs(len(word) - len(small)) <= most and (count > 3 or len(word) > 7)
            if (found := distance(small, word, most)) <= most
        ]
        if near and (min(near)[0] == 1 or len(small) > 6):
            text = re.sub(rf"\b{re.escape(token)}\b", min(near)[2], text)
    return text


_SHORT = 6
_ASKING = frozenset(
    "who when where why which what whose how author wrote written status version release manager number".split()
)

"""Questions over fields: look-ups in one document, and joins from one document's field to another document.

A noun phrase that stands for a value ("the version that got X", "the proposal that A replaced") is resolved first and
put back into the question, so that a question of two hops becomes two questions of one.
"""

from __future__ import annotations

import re

from averment.corpus.answering.answer import DocumentAnswer, TextPlace, silent
from averment.corpus.answering.binding import BAD, CREATED_KEYS, STATUS_KEYS, Binder
from averment.corpus.answering.question import SOFT, CorpusQuestion, bind_identifiers
from averment.corpus.answering.words import keys, same_word
from averment.corpus.structure.shape import Field

NAMES: dict[str, tuple[str, ...]] = {
    "author": ("author", "authors", "creator", "creators", "editor", "editors", "from", "author-email"),
    "sponsor": ("sponsor", "sponsors", "champion", "shepherd", "shepherds"),
    "created": CREATED_KEYS,
    "updated": ("last-updated", "updated", "last-modified", "modified"),
    "status": STATUS_KEYS,
    "version": ("target-version", "version", "latest-milestone", "milestone", "since"),
    "superseded by": ("superseded-by", "replaced-by", "obsoleted-by", "superseeded-by", "updated-by"),
    "replaces": ("replaces", "supersedes", "obsoletes", "superseeds"),
    "issue": ("tracking-issue", "issue", "issues"),
    "pull request": ("pr", "pull-request", "implementation-pr"),
    "feature": ("feature-name", "feature-gate", "feature-gates", "feature"),
    "resolution": ("resolution", "accepted", "decided"),
    "licence": ("license", "licence", "license-expression"),
    "homepage": ("home-page", "homepage", "url", "website"),
}
_CUES: tuple[tuple[str, str], ...] = (
    ("sponsor", r"\bsponsor"),
    (
        "author",
        r"\bwho (?:wrote|authored|proposed|co-?wrote|designed|invented|created|came up with|maintains)\b|\bauthors?\b|"
        r"\bwritten by\b",
    ),
    (
        "superseded by",
        r"\b(?:superseded|replaced|obsoleted) by\b|\bsuccessor\b|(?:which|what) (?:{nouns})s? (?:superseded|replaced|"
        r"obsoleted|supersedes|replaces|obsoletes)\b|^what (?:superseded|replaced)",
    ),
    (
        "replaces",
        r"\b(?:which|what) (?:{nouns})?s?\s?(?:does|did) .*\b(?:supersede|replace|obsolete)\b|\bpredecessor\b",
    ),
    (
        "resolution",
        r"^when (?:was|were|did|has) .*\b(?:accept|accepted|approve|approved|reject|rejected|withdrawn|merged|"
        r"deferred)\b",
    ),
    (
        "created",
        r"^when (?:was|were|did) .*\b(?:created|written|proposed|started|opened|drafted|submitted|begin|begun|start)\b|"
        r"\b(?:creation|start) date\b|\b(?:year|date) .*\bcreated\b|"
        r"\b(?:year|date) was .* (?:written|proposed|started)\b",
    ),
    ("issue", r"\b(?:tracking|github) issue\b|\bissue (?:number|tracks)\b|\b(?:which|what) issue\b"),
    ("pull request", r"\bpull request\b"),
    ("feature", r"\bfeature (?:name|gate|flag)\b"),
    ("licence", r"\b(?:which|what) licen[sc]e\b|\blicen[sc]e of\b|\blicensed under\b"),
    ("status", r"\bstatus\b"),
    (
        "version",
        r"\b(?:which|what|target|for which) (?:\w+ )?(?:version|milestone)\b.*\b(?:introduce[ds]?|add(?:ed|s)?|got|"
        r"gets?|land(?:ed)?|ship(?:ped|s)?|target(?:s|ed)?|appear(?:ed|s)?|new in|bring|brought)\b|"
        r"\btarget(?:s|ed)? (?:\w+ )?version\b|\bversion (?:is|was|does|did) (?:targeted|target)|\b\w+ version$|"
        r"\bversion of (?:{nouns})\b|^for which (?:\w+ )?version|(?:which|what) (?:\w+ )?version does .* target",
    ),
)
GOOD = frozenset(
    "accepted final active implemented living stable merged provisional approved implementable completed".split()
)
CLAIMS: dict[str, frozenset[str]] = {
    "accept": GOOD,
    "approv": GOOD,
    "reject": frozenset({"rejected"}),
    "withdr": frozenset({"withdrawn"}),
    "defer": frozenset({"deferred"}),
    "supersed": frozenset({"superseded", "replaced", "obsolete"}),
    "activ": frozenset({"active", "living"}),
    "final": frozenset({"final"}),
    "implement": GOOD,
    "draft": frozenset({"draft"}),
}
_VERSION_PHRASE = re.compile(
    r"\bthe (\w+ )?version (?:in which|that|with|where|which|when|to which)\s+(?:first )?"
    r"(?:got|added|introduced|has|had|received|brought|includes?|included)?\s*(.+?)"
    r"(?:\s+(?:was|were|is|are|got)\s+(?:first\s+)?(?:added|introduced|shipped|accepted|new))?"
    r"(\s+(?:released|come out|came out|published)\b.*)?\??$",
    re.IGNORECASE,
)
_ENDINGS = frozenset({"version", "issue", "pull request", "feature"})
_OLD = r"\b(?:rejected|old|accepted|withdrawn|earlier|original|the|deferred|first)\b"


class Fields:
    """Looks things up in the fields of documents."""

    def __init__(self, binder: Binder) -> None:
        self.binder = binder
        self._cards = binder.library.cards
        self._cues = [(name, re.compile(pattern.replace("{nouns}", binder.nouns))) for name, pattern in _CUES]
        every = {field.key for card in self._cards for field in card.fields}
        self._every = sorted(every, key=lambda one: (-len(one), one))

    def values(self, number: int, name: str) -> tuple[Field, ...]:
        """A document's fields of a name, or of a key of its own."""
        card = self._cards[number]
        names = NAMES.get(name, (name,))
        found = card.values(*names)
        if not found and name in _ENDINGS:
            # "Python-Version", "rust-issue": a key that ends in the name, where no key is the name itself.
            ends = [one.key for one in card.fields if one.key.endswith(tuple(f"-{each}" for each in names))]
            found = card.values(*ends)
        return found

    def linked(self, number: int, name: str) -> tuple[list[int], list[str], list[TextPlace]]:
        """The documents that a field names, read in both directions, the numbers it names, and where."""
        card = self._cards[number]
        fields = self.values(number, name)
        numbers = [digits.lstrip("0") for one in fields for digits in re.findall(r"\d+", one.value)]
        found = [n for n, other in enumerate(self._cards) if other.number in numbers and other.kind == card.kind]
        places = [self.place(number, one) for one in fields]
        back = "replaces" if name == "superseded by" else "superseded by"
        for n, other in enumerate(self._cards):
            if n in found or other.kind != card.kind or not card.number:
                continue
            there = [one for one in self.values(n, back) if card.number in _numbers(one.value)]
            if there:
                found.append(n)
                places += [self.place(n, one) for one in there]
        return found, numbers, places

    def place(self, number: int, field: Field) -> TextPlace:
        """Where a field stands."""
        return TextPlace(number, field.start, field.end, f"{field.key.replace('-', ' ').capitalize()}: {field.value}")

    def label(self, number: int) -> str:
        """How a document is named."""
        return self._cards[number].label

    def resolve(self, text: str, trail: list[TextPlace]) -> str | None:
        """The question with values in the place of phrases that stand for them; None where one has no value."""
        nouns = self.binder.nouns
        if match := _VERSION_PHRASE.search(text):
            bound = self.binder.bind(match[2], introduced=True)
            value = self.values(bound.document, "version") if bound is not None else ()
            if bound is None or not value:
                return None
            trail.append(self.place(bound.document, value[0]))
            product = (match[1] or "").strip() or value[0].key.removesuffix("version").strip("-") or "version"
            return f"{text[: match.start()]}{product} {value[0].value.split(',')[0]}{match[3] or ''}"
        over = (
            rf"\bthe (?:[\w-]+ ){{0,3}}?(?:{nouns}) (?:that|which) "
            r"(?:superseded|replaced|obsoleted|supersedes|replaces) (.+?)\??$"
        )
        if match := re.search(over, text, re.IGNORECASE):
            return self._joined(text, match, "superseded by", trail)
        under = (
            rf"\bthe (?:[\w-]+ ){{0,4}}?(?:{nouns}) (?:that|which) ((?:{nouns})\s*\d+|.+?) "
            r"(?:superseded|replaced|obsoleted|supersedes|replaces)\??$"
        )
        if match := re.search(under, text, re.IGNORECASE):
            return self._joined(text, match, "replaces", trail)
        return text

    def _joined(self, text: str, match: re.Match[str], name: str, trail: list[TextPlace]) -> str | None:
        number = self.meant(match[1])
        found, _, places = self.linked(number, name) if number is not None else ([], [], [])
        if not found:
            return None
        trail += places[:2]
        self.binder.touched += [one for one in found if one not in self.binder.touched]
        card = self._cards[found[0]]
        return f"{text[: match.start()]}{card.kind} {card.number}{text[match.end() :]}"

    def meant(self, phrase: str) -> int | None:
        """The document a phrase means, by its identifier or by what it is about."""
        bound, missing, _ = bind_identifiers(phrase, self.binder.library)
        if bound:
            return bound[0]
        found = None if missing else self.binder.bind(re.sub(_OLD, " ", phrase))
        return None if found is None else found.document

    def asked(self, question: CorpusQuestion) -> str | None:
        """The field a question asks for."""
        low = question.low
        for name, pattern in self._cues:
            if pattern.search(low):
                writes = name == "author" and re.search(r"\bauthor'?s? of\b.*\b(?:co-?)?(?:write|wrote)\b", low)
                return None if writes else name
        if question.expects in ("why", "yesno", "how", "difference"):
            return None
        have = set(keys(low))
        hard = {term.key for term in question.terms if term.role != "soft"}
        for one in self._every:
            need = set(keys(one.replace("-", " "))) - self.binder.library.kinds
            if not need or not all(any(same_word(n, h) for h in have) for n in need):
                continue
            rest = {h for h in hard if not any(same_word(n, h) for n in need)}
            if question.bound:
                there = bool(self._cards[question.bound[0]].values(one))
                if (there and (not need <= SOFT or not rest)) or (not there and not rest and hard):
                    return one
            elif len(need) > 1 and re.search(rf"\b(?:{self.binder.nouns})\b", low):
                return one
        return self._by_last_word(question, hard) if question.bound else None

    def _by_last_word(self, question: CorpusQuestion, hard: set[str]) -> str | None:
        """A key of the document that is meant whose last word is asked for, where no whole key is."""
        for field in self._cards[question.bound[0]].fields:
            last = keys(field.key.rpartition("-")[2])
            if "-" in field.key and last and last[0] in hard and last[0] not in SOFT:
                return field.key
        return None

    def topic(self, question: CorpusQuestion, name: str) -> str:
        """What remains of a question when the cue of its field is taken away."""
        cue = (
            r"\b(?:which|what) (?:\w+ )?(?:version|milestone|year|date)\b|"
            rf"\b(?:which|what) (?:{self.binder.nouns})s?\b|"
            r"\b(?:who|when|authors?|authored|status|sponsor\w*|created|creation|start date|written|wrote|"
            r"introduced?s?|added|version|target\w*|delegate|proposed|designed|number|licen[sc]e|maintains)\b"
        )
        rest = re.sub(cue, " ", question.low)
        for word in name.replace("-", " ").split() if name not in NAMES else ():
            rest = re.sub(rf"\b{re.escape(word)}\w*", " ", rest)
        return rest

    def premise(self, question: CorpusQuestion) -> DocumentAnswer | None:
        """Silence, where a question takes a status for granted that the document's own field denies."""
        for number in question.bound[:1]:
            status, low = self.binder.status(number), question.low
            denied = re.search(r"\bnot\b|n't|should|would|could", low)
            for cue, allowed in CLAIMS.items():
                if not status or denied or cue in ("draft", "final", "activ", "implement"):
                    continue
                if not re.search(rf"^(?:why|when|who|how|in which year|in what year)\b.*\b{cue}", low):
                    continue
                if status in allowed or re.search(r"\bsupersedes?\b", low):
                    continue
                if cue == "supersed" and self.linked(number, "superseded by")[0]:
                    continue
                told = silent(f"{self.label(number)} has the status {status}.")
                told.nearest = [self.place(number, self.values(number, "status")[0])]
                return told
        return None

    def is_gone(self, number: int) -> bool:
        """Whether a document was turned down or is out of date."""
        return self.binder.status(number) in BAD


def people(text: str) -> str:
    """The names in a field, without addresses."""
    text = re.sub(r"<[^>]*>|\([^)]*@[^)]*\)|\S+@\S+|\"", "", text)
    return ", ".join(" ".join(part.split()) for part in re.split(r"[,;]", text) if part.strip())


def _numbers(text: str) -> list[str]:
    return [digits.lstrip("0") for digits in re.findall(r"\d+", text)]

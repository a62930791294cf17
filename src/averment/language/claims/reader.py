"""The reader: which stretch of a text answers a question, and how sure that is.

Candidates are weighed by a linear model whose weights were fitted once on open data (``scripts/fit_claims.py``) and are
kept in ``fitted``; beside the candidates stands "this text does not say". The same text and question give the same
reading, and nothing in the text is followed as an instruction.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from averment.language.claims.claim_values import StatedValue, compare, read_amounts, read_moments
from averment.language.claims.fitted import weights as fitted
from averment.language.claims.focus import Focus, numbered_parts
from averment.language.claims.names import find_names, name_words
from averment.language.claims.pages import TextPage
from averment.language.claims.vectors import Similarity
from averment.language.stems import root, stem
from averment.language.tokens import Span, Token, fold, tokenise
from averment.language.word_lists import patterns, word_lists

_BY_TITLE = (
    r"(?:(?:the|his|her|fellow|world|no\.?|number|top|defending|reigning|champions?|former|rivals?|holders?|seed(?:ed)?"
    r"|[0-9-]+|[a-z]+(?:ian|ish|ese|ican)) ){0,4}$"
)
_BEATS = re.compile(
    r"\b(?:(?:defeat|beat|thrash|trounce|oust|upset|outlast|overpower|edge|topple|dethrone)(?:s|ed|d|ing|ting)?"
    r"(?: out| past)?|overcame|overcomes?|bt|def\.?"
    r"|(?:wins?|won|victory|victories|triumph(?:s|ed)?|success|prevail(?:s|ed)?)\b[^.;:]{0,30}?\b(?:over|against)"
    r"|ahead of|runners?-up) " + _BY_TITLE
)
_ROLES_PATTERNS = patterns("roles", "averment.language")
_IS_BEATEN = re.compile(_ROLES_PATTERNS["is_beaten"])
_WINS = 0.7

_LISTS = word_lists("claims.roles")
_HAPPENINGS = frozenset(_LISTS["happenings"].split())
_ROLES = frozenset(_LISTS["roles"].split())
_EVENTS = frozenset(root(word) for word in _LISTS["events"].split())
_CLOSE = 6
_SPEAKS = re.compile(_ROLES_PATTERNS["speaks"])
_ARTICLE = re.compile(r"\b(?:[Aa]n?|[Tt]he|first|another) $")
_GOES_ON = re.compile(_ROLES_PATTERNS["goes_on"])
_FORMER = re.compile(_ROLES_PATTERNS["former"])
_NOW = re.compile(r"\b(?:who|what|which)\b.*\b(?:is|are)\b|\b(?:current|currently|new|now)\b")
_REFERS = re.compile(_ROLES_PATTERNS["refers"])


def is_beaten(focus: Focus, text: str, span: Span) -> bool:
    """Whether the question asks who won and the stretch names one who lost."""
    if focus.cues.get(root("win"), 0.0) < _WINS:
        return False
    folded = fold(text)
    return bool(_BEATS.search(folded[: span[0]]) or _IS_BEATEN.match(folded, span[1]))


def names_nobody(name: str) -> bool:
    """Whether a run of capitals names an event, a role or a line of a menu, and so nobody."""
    words = [word for word in name_words(name) if not word.isdigit()]
    if not words:
        return True
    return words[-1] in _HAPPENINGS or all(word in _ROLES or word in _HAPPENINGS for word in words)


def is_speaker(focus: Focus, text: str, span: Span) -> bool:
    """Whether a name only tells what it thinks: a question of who did it is not answered by who spoke of it."""
    return focus.kind == "person" and bool(_SPEAKS.match(fold(text), span[1]))


def is_part_of_a_name(focus: Focus, text: str, span: Span) -> bool:
    """Whether a name goes on with a noun that makes it the name of something else: "Adult Alternative Songs"."""
    return focus.kind == "person" and bool(_GOES_ON.match(text, span[1]))


def is_by_origin(focus: Focus, text: str, span: Span) -> bool:
    """Whether a stretch only tells where someone is from: "a Colombian" names nobody."""
    word = text[slice(*span)]
    if focus.kind != "person" or " " in word or not word.endswith(("an", "ish", "ese", "ic")):
        return False
    return bool(_ARTICLE.search(text[: span[0]]))


def is_former(focus: Focus, text: str) -> bool:
    """Whether the question asks who is it now and the sentence speaks of someone who was."""
    asked = fold(focus.question)
    return focus.kind == "person" and bool(_NOW.search(asked) and not focus.limits and _FORMER.search(fold(text)))


def refers_back(text: str) -> bool:
    """Whether a sentence speaks of a thing named elsewhere: "the game", "it"."""
    return bool(_REFERS.search(fold(text)))


def of_another_event(focus: Focus, text: str, span: Span) -> float:
    """Whether the verb nearest before a date, or right behind it, is an event the question does not ask about."""
    before = re.findall(r"[^\W\d_]+", text[max(0, span[0] - 80) : span[0]])[-_CLOSE:]
    for word in reversed(before):
        form = root(stem(word.casefold()))
        if form in focus.cues:
            return 0.0
        if form in _EVENTS:
            return 1.0
    return 0.0


_PATTERNS = patterns("candidates", "averment.language")
_PREDICATE = re.compile(_PATTERNS["predicate"])
_PARENTHESIS = re.compile(r"\([^()]{0,160}\)")
_DATELINE = re.compile(r"\s*(?:\.\.\.|…|—|·|\|)")
_PAGE_DATES = re.compile(_PATTERNS["page_dates"])
_PAGE_DATED = re.compile(r"(?i)\b(?:retrieved|archived|accessed|last edited|last updated)\b[^.;^]{0,40}?[0-9]{4}")


@dataclass(frozen=True, slots=True)
class AnswerCandidate:
    """A stretch of a text that may be the answer: as written, where it stands, and its features by name."""

    text: str
    span: Span
    sentence: int
    value: StatedValue | None
    features: dict[str, float] = field(default_factory=dict[str, float])


def find_candidates(focus: Focus, page: TextPage) -> list[AnswerCandidate]:
    """Every candidate of a text for a question, in order."""
    name = f" {' '.join(name_words(focus.name))} " if focus.name else ""
    bare = _PAGE_DATED.sub("", page.text) if focus.limits else ""
    limits_in_text = _share(focus.limits, {token.normal for token in tokenise(bare)})
    said_in_text = float(bool(name) and name in f" {' '.join(name_words(page.text))} ")
    subject_in_text = _share(focus.subject, {token.stem for tokens in page.tokens for token in tokens})
    found: list[AnswerCandidate] = []
    for number, (sentence, tokens) in enumerate(zip(page.sentences, page.tokens, strict=True)):
        marks = _Marks.of(focus, tokens)
        said = float(bool(name) and name in f" {' '.join(name_words(sentence.text))} ")
        refers = float(refers_back(sentence.text))
        former = float(is_former(focus, sentence.text))
        for text, span, value, kind in _stretches(focus, sentence.text):
            if _echoes(focus, text) or _is_beside(focus, sentence.text, span):
                continue
            features = _features(focus, sentence.text, span, marks)
            features |= kind
            features["subject in text"] = subject_in_text
            features["limits not in text"] = float(bool(focus.limits)) * (1.0 - limits_in_text)
            features["name in text"], features["name in sentence"] = said_in_text, said
            features["refers back"] = refers
            features["former"] = former
            features["first sentence"] = float(number == 0)
            features["early"] = 1.0 / (1.0 + number)
            place = (sentence.start + span[0], sentence.start + span[1])
            found.append(AnswerCandidate(text, place, number, value, features))
    return found


def _echoes(focus: Focus, text: str) -> bool:
    """Whether a stretch only repeats the question: "Who acquired Instagram?" is not answered by Instagram."""
    stems = {token.stem for token in tokenise(text) if not token.is_stop}
    return stems <= focus.spoken


def _is_beside(focus: Focus, text: str, span: Span) -> bool:
    """Whether a stretch stands in a place that cannot answer: beaten, speaking of it, part of another name."""
    return any(one(focus, text, span) for one in (is_beaten, is_speaker, is_part_of_a_name, is_by_origin))


@dataclass(frozen=True, slots=True)
class _Marks:
    """The words of a sentence that count for a question, by token place."""

    tokens: tuple[Token, ...]
    cues: tuple[tuple[int, float], ...]
    subject: tuple[int, ...]
    subject_share: float
    limits: float
    menu: float
    other_year: float
    other_part: float

    @classmethod
    def of(cls, focus: Focus, tokens: tuple[Token, ...]) -> _Marks:
        cues = tuple(
            (place, focus.cues[root(token.stem)])
            for place, token in enumerate(tokens)
            if root(token.stem) in focus.cues
        )
        subject = tuple(place for place, token in enumerate(tokens) if token.stem in focus.subject)
        words = {token.stem for token in tokens}
        limits = _share(focus.limits, {token.normal for token in tokens}) if focus.limits else 1.0
        plain = [token for token in tokens if token.kind == "word"]
        menu = sum(token.text[:1].isupper() for token in plain) / len(plain) if plain else 0.0
        return cls(
            tokens,
            cues,
            subject,
            _share(focus.subject, words),
            limits,
            menu,
            _other_year(focus, tokens),
            _other_part(focus, tokens),
        )


def _other_year(focus: Focus, tokens: Sequence[Token]) -> float:
    """Whether the question is about a year and the sentence about another one."""
    asked = {limit for limit in focus.limits if len(limit) == 4}
    named = {
        token.normal
        for token in tokens
        if len(token.normal) == 4 and token.normal.isdigit() and token.normal[0] in "12"
    }
    return float(bool(asked) and bool(named) and not asked & named)


def _other_part(focus: Focus, tokens: Sequence[Token]) -> float:
    """Whether the question is about a numbered part and the sentence about another one: season 1 and season 10."""
    if not focus.parts:
        return 0.0
    named = numbered_parts(tokens)
    kinds = {kind for kind, _ in focus.parts}
    return float(any(kind in kinds for kind, _ in named) and not named & focus.parts)


def _share(wanted: frozenset[str], given: set[str]) -> float:
    return len(wanted & given) / len(wanted) if wanted else 0.0


Stretch = tuple[str, Span, StatedValue | None, dict[str, float]]


def _stretches(focus: Focus, text: str) -> Iterable[Stretch]:
    moments = read_moments(text)
    match focus.kind:
        case "date":
            for value in moments:
                for stretch, span, found, features in _moment(text, value):
                    features["another event"] = of_another_event(focus, text, span)
                    yield stretch, span, found, features
        case "number":
            for value in read_amounts(text, moments):
                yield _counted(text, value)
        case "person" | "name" | "place":
            spans = [value.span for value in moments]
            breaks = frozenset(mark for mark in focus.cues if len(mark) > 2) - frozenset(map(root, focus.subject))
            joined = focus.kind == "place" and focus.noun in {"", "location"}
            yield from (one for one in _names(text, spans, breaks, joined=joined) if not names_nobody(one[0]))
        case "kind" | "definition":
            yield from _predicates(text)
            yield from _glosses(focus, text)
            yield from _phrases(text, [value.span for value in moments])


def _moment(text: str, value: StatedValue) -> Iterable[Stretch]:
    day = float(value.grain == "day")
    features = {"day": day, "month": float(value.grain == "month"), "year": float(value.grain == "year")}
    if value.span[0] < 3 and _DATELINE.match(text, value.span[1]):
        return  # "Jul 13, 2019 ... Halep wins": when it was written, not what it says.
    features["page date"] = float(bool(_PAGE_DATES.search(text[: value.span[0]].lower())))
    yield value.text, value.span, value, features
    # "(24 June 1630 – 16 April 1720)" is a life: its two ends are candidates of their own.
    if value.first != value.last and value.grain == "day" and value.first and value.last:
        halves = re.split(r"\s*[–—-]\s*|\s+to\s+", value.text, maxsplit=1)
        if len(halves) == 2:
            start = value.span[0]
            second = value.span[1] - len(halves[1])
            ends = ((halves[0], start, value.first, "span start"), (halves[1], second, value.last, "span end"))
            for piece, begin, day_text, name in ends:
                span = (begin, begin + len(piece))
                half = StatedValue("moment", piece, span, first=day_text, last=day_text, grain="day")
                yield piece, span, half, {**features, name: 1.0}


def _counted(text: str, value: StatedValue) -> Stretch:
    """An amount with the noun it counts."""
    noun = re.match(r"\s+([a-z][a-z-]+)", text[value.span[1] :])
    end = value.span[1] + (noun.end() if noun else 0)
    grouped = float("," in value.text)
    size = float(value.high) if value.high is not None else 0.0
    features = {
        "unit": float(value.unit is not None),
        "percent": float(value.unit == "percent"),
        "grouped": grouped,
        "decimal": float("." in value.text),
        "small": float(size < 10),
        "dollars": float(value.unit in {"USD", "EUR", "GBP"}),
        "in words": float(not any(char.isdigit() for char in value.text)),
    }
    return text[value.span[0] : end], (value.span[0], end), value, features


def _names(text: str, skip: Sequence[Span], breaks: frozenset[str], *, joined: bool) -> Iterable[Stretch]:
    names = find_names(text, skip=skip, breaks=breaks)
    for place, name in enumerate(names):
        words = name_words(name.text)
        features = {
            "one word": float(len(words) == 1),
            "two words": float(len(words) == 2),
            "long name": float(len(words) > 4),
            "capitals": float(name.text.isupper() and len(name.text) > 2),
            "demonym": float(len(words) == 1 and words[0].endswith(("an", "ish", "ese", "ic"))),
            "modifies": float(bool(re.match(r" [a-z]{3,}", text[name.span[1] :])) and len(words) == 1),
            "possesses": float(bool(re.match(r"[’']s", text[name.span[1] :]))),
        }
        yield name.text, name.span, _name_value(name.text, name.span), features
        end = place
        while (
            joined
            and end + 1 < len(names)
            and re.fullmatch(r"\s?, ", text[names[end].span[1] : names[end + 1].span[0]])
        ):
            end += 1
        if end > place:
            span = (name.span[0], names[min(end, place + 2)].span[1])
            whole = text[slice(*span)].replace(" ,", ",")
            yield whole, span, _name_value(whole, span), {"joined": 1.0}


def _name_value(text: str, span: Span) -> StatedValue:
    return StatedValue("name", text, span)


def _predicates(text: str) -> Iterable[Stretch]:
    bare = _PARENTHESIS.sub(lambda found: " " * len(found.group()), text)
    for found in _PREDICATE.finditer(bare):
        start, end = found.span("np")
        end = start + len(bare[start:end].rstrip())
        words = bare[start:end].split()
        if 0 < len(words) <= 9 and "  " not in bare[start:end]:
            features = {
                "predicate": 1.0,
                f"predicate of {min(len(words), 5)}": 1.0,
                "article": float(bool(re.search(r"\b(?:an?|the)\s+$", bare[:start]))),
                "participle": float(words[0].endswith("ed") or words[0] in {"not", "by", "to", "about"}),
            }
            yield text[start:end], (start, end), _name_value(text[start:end], (start, end)), features


_GLOSS = re.compile(r"(?<=[\w\"”] )\((?P<gloss>(?:[0-9]{4} )?[^\W\d_][^()0-9]{2,40}?)(?:,? (?:born )?[0-9]{4})?\)")


def _glosses(focus: Focus, text: str) -> Iterable[Stretch]:
    """What stands in brackets behind a name to tell it from its namesakes: "Hiroyuki Miura (ice hockey)"."""
    for found in _GLOSS.finditer(text):
        words = {token.stem for token in tokenise(text[: found.start()])[-8:]}
        if words & focus.subject:
            span = found.span("gloss")
            yield found["gloss"], span, _name_value(found["gloss"], span), {"gloss": 1.0}


def _phrases(text: str, skip: Sequence[Span]) -> Iterable[Stretch]:
    """Single words and pairs that may name a kind of thing; ``reader`` compares them with the noun asked for."""
    tokens = [token for token in tokenise(text) if token.kind == "word"]
    for place, token in enumerate(tokens):
        if not _may_name(token) or any(begin <= token.start < stop for begin, stop in skip):
            continue
        yield token.text, token.span, _name_value(token.text, token.span), {"word": 1.0}
        if place + 1 < len(tokens):
            after = tokens[place + 1]
            if _may_name(after) and text[token.end : after.start] in {" ", "-", "/"}:
                span = (token.start, after.end)
                yield text[slice(*span)], span, _name_value(text[slice(*span)], span), {"pair": 1.0}


def _may_name(token: Token) -> bool:
    return not token.is_stop and len(token.normal) > 2 and token.normal.isalpha()


def _features(focus: Focus, text: str, span: Span, marks: _Marks) -> dict[str, float]:
    first = next((place for place, token in enumerate(marks.tokens) if token.end > span[0]), 0)
    last = next((place for place, token in enumerate(marks.tokens) if token.end >= span[1]), len(marks.tokens) - 1)
    inside = marks.tokens[first : last + 1]
    stems = {token.stem for token in inside}
    features = {"subject in sentence": marks.subject_share, "limits": marks.limits}
    features["limits missing"] = float(bool(focus.limits) and marks.limits == 0.0)
    features["another year"] = marks.other_year
    features["another part"] = marks.other_part
    features["of the question"] = len(stems & focus.words) / max(len(stems), 1)
    features["is the subject"] = float(bool(focus.subject) and len(stems & focus.subject) >= max(1, len(stems) - 1))
    features |= _nearest("cue", [(place, weight) for place, weight in marks.cues], first, last)
    features |= _nearest("subject", [(place, 1.0) for place in marks.subject], first, last)
    features |= _joints(marks, first, last)
    features["length"] = min(len(inside), 6) / 6
    features["in brackets"] = float(text.rfind("(", 0, span[0]) > text.rfind(")", 0, span[0]))
    return features


def _nearest(name: str, places: list[tuple[int, float]], first: int, last: int) -> dict[str, float]:
    features = {f"{name} there": 0.0, f"{name} before": 0.0, f"{name} after": 0.0, f"{name} touches": 0.0}
    for place, weight in places:
        if first <= place <= last:
            continue
        gap = first - place if place < first else place - last
        side = "before" if place < first else "after"
        features[f"{name} there"] = max(features[f"{name} there"], weight)
        features[f"{name} {side}"] = max(features[f"{name} {side}"], weight / (1 + 0.5 * (gap - 1)))
        if gap <= 2:
            features[f"{name} touches"] = max(features[f"{name} touches"], weight)
    return features


_VERBISH = re.compile(r"(?:ed|s|ght|won|led|beat|ran|took|built|wrote|made)$")


def _joints(marks: _Marks, first: int, last: int) -> dict[str, float]:
    """How the stretch is tied to the words around it: after "by", after a colon or "is", as the one who acts."""
    before = [token.normal for token in marks.tokens[max(0, first - 3) : first]]
    after = [token.normal for token in marks.tokens[last + 1 : last + 4]]
    cues = {place for place, weight in marks.cues if weight > 0.5}
    near_by = next(
        (
            place
            for place in range(first - 1, max(-1, first - 8), -1)
            if marks.tokens[place].kind == "symbol" or marks.tokens[place].normal == "by"
        ),
        -1,
    )
    by = near_by >= 0 and marks.tokens[near_by].normal == "by"
    acts = any(place in cues and _VERBISH.search(marks.tokens[place].normal) for place in range(last + 1, last + 4))
    object_after = any(place > last for place in marks.subject)
    return {
        "after by": float("by" in before[-2:]),
        "in a phrase after by": float(by),
        "cue and by": float(by and bool({near_by - 1, near_by - 2} & cues)),
        "own cue and by": float(
            by and any(near_by - 2 <= place < near_by and weight == 1.0 for place, weight in marks.cues)
        ),
        "own cue before": max(
            (1.0 / (first - place) for place, weight in marks.cues if weight == 1.0 and place < first), default=0.0
        ),
        "own cue after": max(
            (1.0 / (place - last) for place, weight in marks.cues if weight == 1.0 and place > last), default=0.0
        ),
        "own cue there": float(any(weight == 1.0 for _, weight in marks.cues)),
        "menu": marks.menu,
        "after in": float(
            before[-1:] == ["in"] or before[-2:] in (["in", "the"], ["at", "the"]) or before[-1:] == ["at"]
        ),
        "after of": float(before[-1:] == ["of"]),
        "after is": float(bool({"is", "was", "are", "were"} & set(before[-2:]))),
        "after colon": float(before[-1:] in ([":"], ["="])),
        "after on": float(before[-1:] == ["on"]),
        "acts": float(acts),
        "acts on subject": float(acts and object_after),
        "cue ends before": float(first - 1 in cues),
        "opens": float(first == 0),
        "closes": float(last >= len(marks.tokens) - 2),
        "listed": float(after[:1] in ([","], ["·"], [";"]) and before[-1:] in ([","], ["·"], [";"])),
    }


EXAMPLES: dict[str, tuple[str, ...]] = {
    sort: tuple(names.splitlines()) for sort, names in word_lists("claims.sorts").items()
}
_SHARPNESS = 15.0


def sort_names(names: Sequence[str], similarity: Similarity) -> list[dict[str, float]]:
    """For each name how much it is like each sort, summing to 1; nothing without an embedder."""
    if not similarity.is_there:
        return [{} for _ in names]
    near = {sort: similarity.to_all(examples, names) for sort, examples in EXAMPLES.items()}
    found: list[dict[str, float]] = []
    for place in range(len(names)):
        parts = {sort: math.exp(_SHARPNESS * rows[place]) for sort, rows in near.items()}
        total = sum(parts.values())
        found.append({f"like a {sort}": part / total for sort, part in parts.items()})
    return found


_PHRASES = 24


@dataclass(frozen=True, slots=True)
class StatedAnswer:
    """One answer a text gives: the stretch, the sentence around it, and a probability from 0 to 1."""

    candidate: AnswerCandidate
    sentence: int
    probability: float

    @property
    def text(self) -> str:
        """The answer as written."""
        return self.candidate.text


def prepare(focus: Focus, page: TextPage, similarity: Similarity) -> list[AnswerCandidate]:
    """The candidates of a text with every feature, those that need vectors included."""
    candidates = find_candidates(focus, page)
    if focus.kind in {"kind", "definition"}:
        candidates = _like_the_noun(focus, candidates, similarity)
    if focus.kind in {"person", "place", "name"}:
        for candidate, sorts in zip(candidates, sort_names([c.text for c in candidates], similarity), strict=True):
            candidate.features.update(sorts)
    near = similarity.between(focus.question, [sentence.text for sentence in page.sentences])
    best = max(near, default=0.0)
    times: dict[str, int] = {}
    for candidate in candidates:
        times[candidate.text.casefold()] = times.get(candidate.text.casefold(), 0) + 1
    for candidate in candidates:
        alike = near[candidate.sentence]
        candidate.features["like the question"] = alike
        candidate.features["best sentence"] = float(alike >= best)
        candidate.features["behind the best"] = best - alike
        candidate.features["again"] = math.log(times[candidate.text.casefold()])
    return candidates


def _like_the_noun(focus: Focus, candidates: list[AnswerCandidate], similarity: Similarity) -> list[AnswerCandidate]:
    """Phrases ranked by their likeness to the noun asked for; predicates always stay."""
    noun = focus.noun or focus.verb or focus.question
    alike = similarity.between(noun, [candidate.text.casefold() for candidate in candidates])
    ranked = sorted(zip(alike, candidates, strict=True), key=lambda pair: (-pair[0], pair[1].span))
    kept: list[AnswerCandidate] = []
    phrases = 0
    for value, candidate in ranked:
        candidate.features["like the noun"] = value
        candidate.features["is the noun"] = float(candidate.text.casefold().rstrip("s") == noun.rstrip("s"))
        if not {"predicate", "gloss"} & set(candidate.features):
            phrases += 1
            candidate.features["noun rank"] = 1.0 / phrases
            if phrases > _PHRASES:
                continue
        kept.append(candidate)
    return sorted(kept, key=lambda candidate: candidate.span)


def silence(candidates: list[AnswerCandidate]) -> dict[str, float]:
    """The features of "this text does not say"."""
    return {
        "silent": 1.0,
        "silent, subject": max((c.features["subject in text"] for c in candidates), default=0.0),
        "silent, likeness": max((c.features["like the question"] for c in candidates), default=0.0),
        "silent, cue": max((c.features["cue there"] for c in candidates), default=0.0),
        "silent, both": max(
            (c.features["cue there"] * c.features["subject in sentence"] for c in candidates), default=0.0
        ),
        "silent, many": math.log1p(len(candidates)),
    }


def weighted_score(features: dict[str, float], kind: str, weights: dict[str, float]) -> float:
    """The linear score of one candidate."""
    return sum(
        value * (weights.get(name, 0.0) + weights.get(f"{kind}: {name}", 0.0))
        for name, value in features.items()
        if value
    )


def read(focus: Focus, page: TextPage, similarity: Similarity) -> list[StatedAnswer]:
    """What a text answers, best first: distinct values with the chance that each is what it says."""
    return rank(focus, prepare(focus, page, similarity), fitted("reader"))


def rank(focus: Focus, candidates: list[AnswerCandidate], weights: dict[str, float]) -> list[StatedAnswer]:
    """Prepared candidates as readings; mentions of one value are added up."""
    if not candidates:
        return []
    scores = [weighted_score(candidate.features, focus.kind, weights) for candidate in candidates]
    none = weighted_score(silence(candidates), focus.kind, weights)
    top = max(*scores, none)
    parts = [math.exp(score - top) for score in scores]
    total = sum(parts) + math.exp(none - top)
    groups: list[tuple[AnswerCandidate, float]] = []
    for part, candidate in sorted(zip(parts, candidates, strict=True), key=lambda pair: (-pair[0], pair[1].span)):
        for place, (kept, sofar) in enumerate(groups):
            if _one(kept, candidate):
                groups[place] = (kept, sofar + part)
                break
        else:
            groups.append((candidate, part))
    readings = [StatedAnswer(candidate, candidate.sentence, part / total) for candidate, part in groups]
    return sorted(readings, key=lambda reading: -reading.probability)


def _one(left: AnswerCandidate, right: AnswerCandidate) -> bool:
    if left.value is None or right.value is None:
        return left.text.casefold() == right.text.casefold()
    return compare(left.value, right.value) == "same"

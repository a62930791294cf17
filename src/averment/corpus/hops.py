"""Questions whose second passage is found only through the first: two rounds of seeds, signals and weights.

The first round starts from likeness and titles named in the question; the second from what the first round found, which
reaches passages three steps away. Everything is arithmetic over the index: the same corpus gives the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from averment.corpus.index.passage_index import PassageIndex, best_rows
from averment.corpus.names import find_titles, title_keys
from averment.corpus.ranking import Embed, Floats, Mask, PassageScores, scaled, score
from averment.corpus.stemmer import stem
from averment.corpus.terms import STOP_WORDS, terms

SIGNALS = (
    "lexical",
    "dense",
    "titled",
    "led_to",
    "led_to_often",
    "relation",
    "early",
    "leads_back",
    "remaining",
    "led_to_and_like",
    "leads_back_and_like",
    "reads_on",
    "led_to_and_reads_on",
    "before",
)
"""The names of the signals, in the order of the columns."""

SEEDS = 8
READING_SEEDS = 5
BACK_SEEDS = 4
DIRECT = 60
_READ_ON = 20
_PER_TITLE = 3
_COMMON_TITLE = 30
_LIKE = 0.15
_QUOTED = 150
_AROUND = (60, 30)

Texts = Callable[[Sequence[int]], Mapping[int, str]]


@dataclass(frozen=True, slots=True)
class Signals:
    """The candidates of one round as rows of the index, and one line of signals for each."""

    rows: list[int]
    table: Floats


def titled(index: PassageIndex, scored: PassageScores) -> Floats:
    """How surely the question names the title of a passage's document: 0 to 1."""
    found = np.zeros(len(index))
    for mention in find_titles(scored.question, index.title_rows, is_question=True):
        rows = index.title_rows[mention.name]
        if len(rows) > _COMMON_TITLE and len({index.documents[row] for row in rows}) > _COMMON_TITLE:
            continue
        rarity = sum(index.lexical.weight(stem(word)) for word in mention.name.split() if word not in STOP_WORDS)
        highest = max(float(scored.mixed[rows].max()), 1e-9)
        for row in rows:
            found[row] = max(found[row], min(1.0, rarity / 8.0) * float(scored.mixed[row]) / highest)
    return found


def read_signals(
    index: PassageIndex,
    scored: PassageScores,
    named: Floats,
    strength: Floats,
    texts: Texts,
    embed: Embed | None,
    *,
    first: bool,
) -> Signals:
    """The signals of one round, with the passages of greatest strength as seeds."""
    seeds = best_rows(strength, SEEDS)
    highest = float(strength[seeds[0]]) if seeds else 0.0
    if highest <= 0:
        return Signals([], np.zeros((0, len(SIGNALS))))
    trail = _Trail(index, scored, embed)
    bodies = texts(seeds)
    for place, seed in enumerate(seeds):
        share = float(strength[seed]) / highest
        if share <= 0:
            break
        trail.follow(seed, bodies[seed], share)
        if place < READING_SEEDS:
            trail.read_on(seed, bodies[seed], share)
        if place < BACK_SEEDS:
            trail.look_back(seed, share)
    candidates = {*best_rows(scored.mixed, DIRECT), *np.flatnonzero(named), *np.flatnonzero(trail.led)}
    candidates |= set(np.flatnonzero((trail.back > 0) & (scored.mixed > _LIKE)))
    candidates |= {row for row in best_rows(trail.on, _READ_ON) if trail.on[row] > 0}
    rows = sorted(int(row) for row in candidates)
    before = np.zeros(len(index)) if first else strength / highest
    linked = np.maximum(trail.led, trail.back)
    columns = (
        scored.lexical,
        scored.dense,
        named,
        trail.led,
        np.minimum(trail.often, 3.0),
        trail.relation,
        trail.early,
        trail.back,
        trail.remaining,
        trail.led * scored.mixed,
        trail.back * scored.mixed,
        trail.on,
        linked * trail.on,
        before,
    )
    return Signals(rows, np.stack([column[rows] for column in columns], axis=1))


class _Trail:
    """Collects, seed by seed, how passages are led to."""

    def __init__(self, index: PassageIndex, scored: PassageScores, embed: Embed | None) -> None:
        self._index, self._scored, self._embed = index, scored, embed
        self._weights = {term: index.lexical.weight(term) for term in scored.terms}
        size = len(index)
        self.led, self.often, self.relation, self.early = (np.zeros(size) for _ in range(4))
        self.back, self.remaining, self.on = (np.zeros(size) for _ in range(3))

    def follow(self, seed: int, body: str, share: float) -> None:
        """Go from a seed to the documents whose titles it names."""
        index = self._index
        own_title = index.title(seed)
        own = set(title_keys(own_title))
        title_terms = set(terms(own_title))
        open_terms = {term for term in self._weights if term not in title_terms}
        open_weight = sum(self._weights[term] for term in open_terms) or 1.0
        held = title_terms | set(terms(body))
        rest = index.lexical.scores({term: 1.0 for term in self._weights if term not in held})
        rest_highest = max(float(rest.max()), 1e-9)
        seen: set[int] = set()
        for mention in find_titles(body, index.title_rows):
            if mention.name in own:
                continue
            sentence = terms(body[slice(*_sentence(body, mention.start))])
            ahead, behind = body[mention.end : mention.end + _AROUND[1]], body[: mention.start][-_AROUND[0] :]
            near = terms(f"{behind} {ahead}")
            said = sum(self._weights[term] for term in open_terms.intersection(sentence)) / open_weight
            said += sum(self._weights[term] for term in open_terms.intersection(near)) / open_weight
            rows = index.title_rows[mention.name]
            mixed = self._scored.mixed
            for row in sorted(rows, key=lambda row: (-mixed[row], row))[:_PER_TITLE]:
                if row == seed:
                    continue
                if row not in seen:
                    self.often[row] += share
                    seen.add(row)
                self.led[row] = max(self.led[row], share)
                self.relation[row] = max(self.relation[row], share * said)
                self.early[row] = max(self.early[row], share / (1 + mention.start / 300))
                self.remaining[row] = max(self.remaining[row], share * rest[row] / rest_highest)

    def read_on(self, seed: int, body: str, share: float) -> None:
        """Look for passages that read like the question once the seed has been read."""
        if self._embed is None or not self._index.with_vector:
            return
        vector = self._embed(f"{self._scored.question} {self._index.title(seed)}. {body[:_QUOTED]}")
        cosines, known = self._index.cosines(vector)
        known = known.copy()
        known[seed] = False
        self.on = np.maximum(self.on, np.where(known, share * scaled(cosines, known), 0.0))

    def look_back(self, seed: int, share: float) -> None:
        """Go from a seed to the passages that name its title."""
        for key in title_keys(self._index.title(seed))[:1]:
            rows = self._index.rows_naming(key)
            rows = rows[rows != seed]
            self.back[rows] = np.maximum(self.back[rows], share)


def _sentence(text: str, place: int) -> tuple[int, int]:
    start = max(text.rfind(". ", 0, place), text.rfind("\n", 0, place)) + 1
    ends = [end for end in (text.find(". ", place), text.find("\n", place)) if end >= 0]
    return start, min(ends, default=len(text))


WEIGHTS: tuple[tuple[float, ...], tuple[float, ...]] = (
    (2.87, 1.95, 4.97, 2.92, -0.13, 0.8, 3.38, 1.6, 4.25, -6.28, -2.67, 3.18, 2.36, 0.0),
    (0.86, 0.39, 2.86, 1.31, -0.31, 0.27, 0.88, 0.7, 2.72, -3.0, -1.3, 1.95, 1.75, 4.01),
)
BIAS: tuple[float, float] = (-5.75, -4.57)


Ranked = list[tuple[int, float]]


def rank(index: PassageIndex, question: str, texts: Texts, embed: Embed | None, allowed: Mask) -> Ranked:
    """Candidate passages with their chance of being needed, the surest first, equals by row; only allowed ones."""
    ranked: Ranked = []
    for number, signals in enumerate(rounds(index, question, texts, embed, allowed)):
        probabilities = probabilities_of(signals, number)
        order = np.lexsort((np.array(signals.rows), -probabilities))
        ranked = [(signals.rows[place], float(probabilities[place])) for place in order if allowed[signals.rows[place]]]
    return ranked


def rounds(index: PassageIndex, question: str, texts: Texts, embed: Embed | None, allowed: Mask) -> list[Signals]:
    """The signals of both rounds."""
    if not len(index):
        return []
    scored = score(index, question, embed, allowed)
    named = titled(index, scored)
    first = read_signals(index, scored, named, scored.mixed + named, texts, embed, first=True)
    strength = np.zeros(len(index))
    strength[first.rows] = probabilities_of(first, 0)
    strength[~allowed] = 0.0
    return [first, read_signals(index, scored, named, strength, texts, embed, first=False)]


def probabilities_of(signals: Signals, number: int) -> Floats:
    """The chance of each candidate by the weights of that round."""
    # Summed one signal after another: a matrix product may round differently from one machine to the next.
    total = np.full(len(signals.rows), BIAS[number])
    for column, weight in enumerate(WEIGHTS[number]):
        total = total + weight * signals.table[:, column]
    return 1.0 / (1.0 + np.exp(-total))

"""What speaks for or against a candidate, as named features: the question's words beside the program and its answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import cached_property
from itertools import pairwise

from averment.language.linking.lexicon import IMPLIED
from averment.reading.rows.cell_links import LinkedQuestion
from averment.reading.rows.cells import stem_of, words_of
from averment.reading.rows.coarse import bucket_of, kind_of, worth_of
from averment.reading.rows.program import Program, ProgramCandidate, RowTest
from averment.reading.rows.row_words import (
    BRIDGES,
    COUNTING,
    FEWER,
    FIRSTS,
    LASTS,
    MAXIMA,
    MINIMA,
    MORE,
    NEXTS,
    NOTS,
    PREVIOUS,
    STOPS,
)

_STEERING = FIRSTS | LASTS | NEXTS | PREVIOUS | MAXIMA | MINIMA | COUNTING | MORE | FEWER
_FREQUENT = STOPS | _STEERING
_SETTING_APART = frozenset("other besides than except only same also excluding aside".split())
_COMPARED = frozenset({">", ">=", "<", "<=", "between"})


class Describer:
    """Knows one question; describes its candidates."""

    def __init__(self, asked: LinkedQuestion) -> None:
        self.asked = asked
        self.grid = asked.grid
        self.head, self.head_place = asked.head
        self.bigrams = [f"{a} {b}" for a, b in pairwise(asked.words) if a in _FREQUENT and b in _FREQUENT]

    @cached_property
    def focus(self) -> tuple[int, ...]:
        """Places of the noun that says what is asked for: "which [team]", "how many [gold medals]"."""
        words = self.asked.words
        place = self.head_place + (2 if self.head.startswith("how") else 1)
        if self.head == "none":
            place = 0
        while place < len(words) and (words[place] in BRIDGES or words[place] in _STEERING):
            place += 1
        found: list[int] = []
        while place < len(words) and words[place] not in STOPS and len(found) < 2:
            found.append(place)
            place += 1
        return tuple(found)

    @cached_property
    def focus_stem(self) -> str:
        """The first word of the noun asked for."""
        return self.asked.stems[self.focus[0]] if self.focus else "-"

    @cached_property
    def focus_score(self) -> tuple[float, ...]:
        """For each column how well the noun asked for names it."""
        scores: list[float] = []
        for column in self.grid.columns:
            score, places = self.asked.columns[column.place]
            hit = places & set(self.focus)
            scores.append((0.3 + 0.7 * score) * len(hit) / max(1, len(self.focus)) if hit else 0.0)
        return tuple(scores)

    @cached_property
    def noun(self) -> int | None:
        """Place of the last word of the phrase that is asked for, which is its noun in English."""
        if not self.focus:
            return None
        place = self.focus[0]
        words = self.asked.words
        while place + 1 < len(words) and words[place + 1] not in STOPS and place - self.focus[0] < 3:
            place += 1
        return place

    @cached_property
    def noun_stem(self) -> str:
        """The noun that is asked for."""
        return self.asked.stems[self.noun] if self.noun is not None else "-"

    @cached_property
    def noun_score(self) -> tuple[float, ...]:
        """For each column how well it is named, where the noun is among the words that name it."""
        named = self.asked.columns
        return tuple(named[c.place][0] if self.noun in named[c.place][1] else 0.0 for c in self.grid.columns)

    @cached_property
    def steering(self) -> list[str]:
        """Words that ask for an extreme or an order."""
        return [w for w in dict.fromkeys(self.asked.words) if w in _STEERING or (w.endswith("est") and len(w) > 4)]

    @cached_property
    def subject(self) -> int:
        """The column that says what each row is about: the first of mostly different texts."""
        for column in self.grid.columns:
            if column.data_type == "string" and not column.is_numeric and column.distinct >= 0.7 * column.filled > 0:
                return column.place
        return 0

    @cached_property
    def sorted_time(self) -> str:
        """Whether the rows stand in the order of their times."""
        for column in self.grid.columns:
            if column.is_time:
                known = [n for n in column.numbers(column.views[0]) if n is not None]
                if known == sorted(known):
                    return "up"
                if known == sorted(known, reverse=True):
                    return "down"
                return "mixed"
        return "none"

    def describe(self, candidate: ProgramCandidate) -> dict[str, float]:
        """All features of a candidate."""
        return self.spoken(operation_of(candidate.program)) | self.own(candidate)

    def spoken(self, operation: str) -> dict[str, float]:
        """The question's words beside an operation; the same for all candidates that do it."""
        found = {f"op {operation}": 1.0, f"{self.head}~{operation}": 1.0}
        found.update({f"w {word}~{operation}": 1.0 for word in self.asked.said})
        found.update({f"b {pair}~{operation}": 1.0 for pair in self.bigrams})
        return found

    def own(self, candidate: ProgramCandidate) -> dict[str, float]:
        """What only this candidate's columns, tests and answer tell."""
        program = candidate.program
        found: dict[str, float] = {}
        for name in (
            *self._shown(program),
            *self._key(program),
            *self._tests(program),
            *self._coverage(program),
            *self._answer(candidate),
        ):
            found[name] = found.get(name, 0.0) + 1.0
        return found

    def _verdict_features(self, program: Program) -> Iterator[str]:
        """What a verdict compares, beside the words that ask for it."""
        verdict = program.verdict
        if verdict is None:
            return
        what = f"{verdict.measure} {'number' if verdict.bound is not None else 'two'}"
        yield f"verdict {what}"
        yield f"verdict {what} or {verdict.said[0]} {verdict.operator}"
        for word in self.steering:
            yield f"verdict {word} {verdict.operator} {verdict.measure}"
            if program.column is not None:
                yield f"verdict {word} {verdict.operator} {kind_of(self.grid.columns[program.column])}"
        if program.column is not None:
            for name in self.grid.columns[program.column].stems:
                yield f"verdict {name} {verdict.operator}"

    def _shown(self, program: Program) -> Iterator[str]:
        if program.verdict is not None:
            yield from self._verdict_features(program)
        if program.column is None:
            yield f"no column, focus named {max(self.focus_score) > 0}"
            best = max(self.focus_score)
            yield f"count focus {bucket_of(best)}"
            if best > 0:
                column = self.grid.columns[self.focus_score.index(best)]
                yield f"count focus kind {kind_of(column)} {column.is_unique}"
            yield f"count>{self.focus_stem}"
            return
        column = self.grid.columns[program.column]
        form = program.form
        score, places = self.asked.columns[column.place]
        yield f"{form} named {bucket_of(score)}"
        own = self.focus_score[column.place]
        best = max(self.focus_score)
        rank = "this" if own and own >= best else "none" if best == 0 else "less" if own else "other"
        yield f"{form} focus {rank}"
        yield f"focus {rank} {bucket_of(best)}"
        yield f"{self.head} focus {rank}"
        kind = kind_of(column)
        yield f"{self.head} shows {kind}"
        yield f"{form} shows {kind}"
        yield f"{self.focus_stem} shows {kind}"
        for name in column.stems:
            yield f"{self.focus_stem}>{name}"
            yield f"{self.head}>{name}"
        place = column.place
        yield f"{form} place {min(place, 3)}"
        if place == self.subject:
            yield f"{form} subject"
            yield f"{self.head} subject {rank}"
        if any(test.column == place for test in program.tests):
            kinds = {test.kind for test in program.tests if test.column == place}
            yield f"{form} own test {'/'.join(sorted(kinds))}"
        if program.key == place:
            yield f"{form} own key {rank}"
        if not places and score == 0 and rank == "none":
            yield f"{form} unnamed {kind}"
        wide = [t for t in program.tests if t.kind == "in" and len(t.links) > 1]
        if wide:
            yield f"{form} shows the union {any(t.column == place for t in wide)} {'or' in self.asked.said}"
        most = max(self.noun_score)
        yield f"{form} noun {'none' if most == 0 else 'this' if self.noun_score[place] >= most else 'other'}"
        if self.noun_stem != self.focus_stem:
            for name in column.stems:
                yield f"{self.noun_stem}>{name}"
        if program.view is not None:
            yield f"{form} view {program.view}"
        if program.other is not None:
            yield f"{form} other {bucket_of(self.asked.columns[program.other][0])}"

    def _key(self, program: Program) -> Iterator[str]:
        if program.key is None:
            for word in self.steering:
                yield f"s {word}~{program.form}/{program.pick}"
            return
        column = self.grid.columns[program.key]
        score, places = self.asked.columns[column.place]
        best = max(self.asked.columns[c.place][0] for c in self.grid.columns if c.views)
        yield f"key {bucket_of(score)}"
        yield f"key best {score >= best} {bucket_of(best)}"
        yield f"key view {program.key_view} {column.is_numeric} {column.is_time}"
        for word in self.steering:
            yield f"{word}^{program.pick}"
            yield f"{word}^{program.pick} {kind_of(column)}"
            for name in column.stems:
                yield f"{word}^{name}"
                yield f"{word}^{program.pick} {name}"
            if IMPLIED.get(word, frozenset()) & column.stems:
                yield "key implied"
            steer = self.asked.words.index(word)
            if any(0 < place - steer <= 3 for place in places):
                yield "key beside"
            if steer + 1 < len(self.asked.stems):
                for name in column.stems:
                    yield f"+{self.asked.stems[steer + 1]}^{name}"
        for name in column.stems:
            yield f"key {name} {program.pick}"
        if sum(c.is_numeric for c in self.grid.columns) == 1 and column.is_numeric:
            yield "key only"
        yield f"key place {min(column.place, 3)}"

    def _tests(self, program: Program) -> Iterator[str]:
        tests = (*program.tests, *(program.pair or ()))
        yield f"tests {len(program.tests)}"
        yield f"tests {len(program.tests)} {program.form}/{program.pick}"
        for test in tests:
            yield from self._test(test, program)

    def _test(self, test: RowTest, program: Program) -> Iterator[str]:
        column = self.grid.columns[test.column]
        score, named = self.asked.columns[column.place]
        beside = any(abs(place - at) <= 2 for place in named - test.places for at in test.places)
        yield f"test {test.kind} beside {beside} named {score >= 0.5}"
        if test.kind in _COMPARED:
            best = max(self.asked.columns[c.place][0] for c in self.grid.columns if c.views)
            yield f"compared best {score >= best} {bucket_of(best)} {kind_of(column)}"
            year = 1500 <= test.bounds[0] <= 2100
            yield f"compared year {year} {column.is_time} beside {beside}"
            yield f"compared with {'a row' if test.links else 'a number'} named {bucket_of(score)}"
            number = max(test.places)
            after = self.asked.stems[number + 1] if number + 1 < len(self.asked.stems) else "$"
            for name in column.stems:
                yield f"unit {after}>{name}"
            return
        if test.kind in {"blank", "filled"}:
            yield f"{test.kind} {program.form}"
            return
        for link in test.links:
            yield f"link {link.kind}"
            yield f"link {link.kind} {test.kind} {min(3, link.last - link.first)}"
            if link.kind == "part":
                yield f"part share {bucket_of(link.share)}"
                yield f"part of {kind_of(column)}"
            if link.kind == "number":
                year = link.number is not None and 1500 <= link.number <= 2100
                yield f"number year {year} time {column.is_time}"
                yield f"number beside {beside} {kind_of(column)} {self.asked.words[link.first][0].isdigit()}"
            if link.kind == "kin":
                yield f"kin {link.last - link.first} rows {min(3, len(link.rows))}"
            if set(link.span) & set(self.focus):
                yield f"test on focus {program.form} {link.kind}"
            if set(link.span) <= named:
                yield f"test on own name {link.kind}"
            if any(set(link.span) <= self.asked.columns[c.place][1] for c in self.grid.columns):
                yield f"test on a name {link.kind}"
            near = self.asked.words[max(0, link.first - 4) : link.first]
            turned = sorted({"not" if w in NOTS else w for w in near if w in NOTS or w in _SETTING_APART})
            yield f"{test.kind} after {turned} {program.form}"
            before = self.asked.words[link.first - 1] if link.first else "^"
            yield f"before {before}~{kind_of(column)}"
            for name in column.stems:
                yield f"before {before}>{name}"
            if program.pick in {"next", "previous"} or test.kind in {"after", "before"}:
                yield from self._turns(link.first, test, program)
            yield f"before {before}~{test.kind}/{program.pick}"
        if self._rival(test):
            yield "better link elsewhere"

    def _turns(self, anchor: int, test: RowTest, program: Program) -> Iterator[str]:
        """On which side of the word that turns the named row and the question word stand."""
        for place, word in enumerate(self.asked.words):
            if word in NEXTS or word in PREVIOUS:
                side = "after" if anchor > place else "before"
                asks = "after" if self.head_place > place else "before"
                yield f"{word} anchor {side} head {asks}~{test.kind}/{program.pick}"

    def _rival(self, test: RowTest) -> bool:
        """Whether the same words name a cell of another column better."""
        mine = max((worth_of(link.kind, link.last - link.first) for link in test.links), default=0.0)
        return any(
            worth_of(link.kind, link.last - link.first) > mine and test.places & set(link.span)
            for link in self.asked.cells
        )

    @cached_property
    def content(self) -> frozenset[int]:
        """Places of words that say something of their own."""
        return frozenset(p for p, w in enumerate(self.asked.words) if w not in STOPS)

    def _coverage(self, program: Program) -> Iterator[str]:
        used = {place for test in (*program.tests, *(program.pair or ())) for place in test.places}
        for place in (program.column, program.key, program.other):
            if place is not None:
                used |= self.asked.columns[place][1]
        if program.key is not None or program.pick != "all" or program.form not in {"show", "amount", "count"}:
            used |= {p for p, w in enumerate(self.asked.words) if w in _STEERING or w.endswith("est")}
        used |= set(self.focus)
        left = len(self.content - used)
        yield f"left {min(left, 5)}"
        yield f"share left {round(4 * left / max(1, len(self.content)))}"
        strong = {
            (link.first, link.last)
            for link in self.asked.cells
            if link.kind in {"exact", "core"} and not set(link.span) & used
        }
        yield f"strong left {min(len(strong), 3)}"
        numbers = sum(1 for _, place, _ in self.asked.amounts if place not in used)
        yield f"numbers left {min(numbers, 2)} {program.pick == 'nth'}"
        named = [c.place for c in self.grid.columns if self.asked.columns[c.place][0] >= 0.99]
        loose = sum(1 for place in named if not self.asked.columns[place][1] & used)
        yield f"named left {min(loose, 2)}"
        words = {self.asked.words[p] for p in range(len(self.asked.words)) if p not in used}
        for word in words & _STEERING:
            yield f"unused {word}"

    def _answer(self, candidate: ProgramCandidate) -> Iterator[str]:
        answer = candidate.answer
        size = len(answer)
        many = "1" if size == 1 else "2" if size == 2 else "3-5" if size <= 5 else "6+"
        form = candidate.program.form
        yield f"size {many} {form}"
        yield f"size {many} {self.head}"
        plural = self.focus_stem != "-" and self.asked.words[self.focus[0]].endswith("s")
        yield f"size {many} plural {plural}"
        first = answer[0]
        kind = "date" if isinstance(first, date) else "text" if isinstance(first, str) else "number"
        yield f"{self.head} gives {kind}"
        if isinstance(first, str):
            words = words_of(first)
            if words and words[0].isdigit():
                yield f"{self.head} gives digits"
            if words and all(stem_of(w) in self.asked.stems for w in words):
                yield f"echo {form}/{candidate.program.pick} {'or' in self.asked.said}"
            yield f"long {min(4, len(words) // 3)}"
        elif not isinstance(first, date) and first is not None:
            if str(first) in self.asked.said:
                yield f"echo number {form}"
            if form in {"count", "distinct"}:
                yield f"count {min(int(first), 3)}"
                yield f"count all {len(candidate.rows) == self.grid.size}"
            if first == 0:
                yield f"zero {form}"
        if candidate.program.pick in {"first", "last", "max", "min"} and candidate.rows:
            edge = "top" if candidate.rows[0] == 0 else "end" if candidate.rows[-1] == self.grid.size - 1 else "inside"
            yield f"{candidate.program.pick} at {edge}"
            for word in self.steering:
                yield f"{word}~{candidate.program.pick} time {self.sorted_time}"
        rows = len(candidate.rows)
        yield f"rows {'1' if rows == 1 else '2-5' if rows <= 5 else '6+'} {form}/{candidate.program.pick}"


def operation_of(program: Program) -> str:
    """What a program does, in a word or two."""
    return f"{program.form}/{program.pick}"

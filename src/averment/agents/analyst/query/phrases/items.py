"""Items: the phrase of one thing to show, with what is to be computed of it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from averment.agents.analyst.query.phrases.ask import Item, Kind
from averment.agents.analyst.query.words import SUPERLATIVES
from averment.language.tokens import STOP_WORDS

if TYPE_CHECKING:
    from averment.agents.analyst.query.mentions import Marked
    from averment.agents.analyst.query.phrases.names import NameIndex

_SAID: tuple[tuple[str, Kind], ...] = (
    (r"(?:total\s+|overall\s+)?(?:number|no\.?|count)\s+of|total\s+count\s+of|count", "count"),
    (r"(?:average|avg|mean)(?:\s+of)?", "avg"),
    (r"(?:total|sum\s+of|sum|overall|combined|cumulative)(?:\s+of)?", "sum"),
    (r"median(?:\s+of)?", "median"),
    (r"standard\s+deviation(?:\s+of)?", "stddev"),
    (r"(?:maximum|max|highest|largest|greatest|latest|most\s+recent)", "max"),
    (r"(?:minimum|min|lowest|smallest|earliest)", "min"),
)
_FUNCTIONS: list[tuple[re.Pattern[str], Kind]] = []
for _pattern, _kind in _SAID:
    _FUNCTIONS.append((re.compile(rf"^(?:{_pattern})\b", re.IGNORECASE), _kind))
_LEAD = re.compile(
    r"^(?:\s|the\b|their\b|its\b|his\b|her\b|a\b|an\b|all\b|both\b|each\b|every\b|any\b|corresponding\b|respective\b|also\b|of\b|"
    r"current\b|list\s+of\b|names?\s+of\s+all\b|for\b|as\s+well\s+as\b|resulting\b|overall\b(?=\s+(?:average|total|number)))+",
    re.IGNORECASE,
)
_DISTINCT = re.compile(r"^(?:distinct|unique|different)\s+", re.IGNORECASE)
_GRAIN = re.compile(
    r"^(?:calendar\s+)?(month|week|day|year|quarter|date)s?(?:\s*\(.*\))?(?:\s+as\s+a\s+date.*)?$", re.IGNORECASE
)
_ADVERB = re.compile(r"\b(monthly|weekly|daily|quarterly|yearly|annual|annually)\b", re.IGNORECASE)
_GRAINS = {"monthly": "month", "weekly": "week", "daily": "day", "quarterly": "quarter", "yearly": "year"}
_SPLIT = re.compile(
    r"(?:\b(?:for|in|by|per|of|from|at|on|to|across|with|within|under|through|into|during)\s+)?\b(?:each|every)\s+(?:of\s+)?(?P<one>.+)"
    r"|\bper\s+(?P<two>.+)"
    r"|\b(?:grouped|group|split|broken\s+down|breakdown|partitioned|segmented|categorized|categorised)\s+by\s+(?:the\s+)?(?P<three>.+)"
    r"|\bacross\s+(?:all\s+)?(?:the\s+)?(?:different|various)\s+(?P<four>.+)"
    r"|(?<!ed)\s+by\s+(?:the\s+)?(?P<five>.+)",
    re.IGNORECASE,
)
_RATIO = re.compile(
    r"^(?:the\s+)?(?P<share>percent(?:age)?\s+)?ratio\s+of\s+(?:the\s+)?(?P<top>.+?)\s+(?:to|per)\s+(?:the\s+)?(?P<bottom>.+)$",
    re.IGNORECASE,
)
_SKIP = frozenset("list s the a an of and or their its his her each all any number value values id's".split())
_PASSED = _SKIP | frozenset("id ids name names distinct unique different various total average".split())
_UNITS = r"days?|hours?|minutes?|seconds?|weeks?"
_SPAN = re.compile(
    rf"^(?:the\s+)?(?:(?P<fn>average|avg|mean|total|shortest|longest|minimum|maximum|median)\s+)?(?:number\s+of\s+|amount\s+of\s+)?"
    rf"(?P<unit>{_UNITS}|time|duration)(?:\s+in\s+(?P<said>{_UNITS}))?\s+(?:it\s+(?:takes?|took)\s+|taken\s+|elapsed\s+|difference\s+)?"
    r"(?:between|from)\s+(?:the\s+)?(?P<a>[\w ]+?)\s+(?:and|to|until)\s+(?:the\s+)?(?P<b>[\w ]+?)"
    r"(?=$|[,.?(]|\s+(?:for|per|by|in|rounded|split|across|of|grouped|where|minus)\b)",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"^(?:the\s+)?(?P<fn>average|avg|mean|total|shortest|longest|minimum|maximum|median)\s+(?P<what>[\w ]+?)\s+"
    rf"(?:duration|length\s+of\s+time)\b(?:\s+\(?in\s+(?P<said>{_UNITS})\)?)?",
    re.IGNORECASE,
)
_SPANNED: dict[str, Kind] = {
    "average": "avg",
    "avg": "avg",
    "mean": "avg",
    "total": "sum",
    "shortest": "min",
    "minimum": "min",
    "longest": "max",
    "maximum": "max",
    "median": "median",
}
_LASTS = re.compile(
    r"^(?:the\s+)?(?:last|past|previous)\s+\w+\s+(?:calendar\s+)?(day|week|month|quarter|year)s?\b", re.IGNORECASE
)
_ENDS = frozenset(
    """
    for in who that which whose where with from during since between per by across on at within when if over among
    is are was were do does did has have had been having be excluding including considering inclusive into using based
    made than as whom wrote won took gave got went to before after under above below through there they he she and/or
    """.split()
)
_PARTICIPLES = frozenset(
    "made sent taken given sold bought held written taught paid born done gone shown found".split()
)


class ItemReader:
    """Reads items from stretches of one marked question."""

    def __init__(self, marked: Marked, names: NameIndex, defined: dict[str, Item] | None = None) -> None:
        self.defined = defined or {}
        self.seen: set[int] = set()
        self.grains: list[Item] = []
        self.marked = marked
        self.text = marked.text
        self.names = names
        # Inside parentheses stands what a word means, not what is asked.
        self._held = {p for m in marked.mentions if m.kind in {"value", "comparison", "text"} for p in m.words}
        self._digits = {w for t in names.tables() for w in names.all_words(t) if w.isdigit()}

    def places(self, start: int, end: int) -> list[int]:
        """The tokens of a stretch of text."""
        return [p for p, t in enumerate(self.marked.tokens) if start <= t.start and t.end <= end]

    def several(self, start: int, end: int, *, head: bool = False) -> list[Item]:
        """The items of a list."""
        found: list[Item] = []
        place = start
        inner = re.sub(r"\([^)]*\)", lambda m: " " * len(m.group(0)), self.text[start:end])
        for cut in (
            *re.finditer(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*|\s+along\s+with\s+|\s+as\s+well\s+as\s+", inner),
            None,
        ):
            stop = end if cut is None else start + cut.start()
            item = self.head(place, stop) if head else self._listed(place, stop)
            ended = head and item is not None and self._ends(place, stop)
            if item is not None:
                found.append(item)
            elif head and found:
                break
            if ended:
                break
            place = end if cut is None else start + cut.end()
        if len(found) > 1:
            found = self._lent(found)
        return found

    def _listed(self, start: int, end: int) -> Item | None:
        """An item of a list; what it is split by was said before."""
        per = re.search(r"\s+(?:per|for\s+each|in\s+each)\s+", self.text[start:end], re.IGNORECASE)
        return self.read(start, end if per is None else start + per.start())

    def all_named(self, start: int, end: int) -> bool:
        """Whether every item of a list names something well."""
        items = self.several(start, end)
        return bool(items) and all(
            (ranked := self.names.rank(i.words)) and ranked[0].score >= 0.9 for i in items if i.words
        )

    def _lent(self, found: list[Item]) -> list[Item]:
        """ "minimum and maximum price": a function without a name takes the next one's."""
        for number in range(len(found) - 2, -1, -1):
            one, after = found[number], found[number + 1]
            if not one.words and one.kind not in {"grain", "dim"} and after.words:
                found[number] = one.named(after.words)
        return found

    def _ends(self, start: int, end: int) -> bool:
        """Whether a clause that narrows the rows begins within a stretch."""
        return self._stop(start, end) < end

    def _stop(self, start: int, end: int) -> int:
        tokens = self.marked.tokens
        places = self.places(start, end)
        noun = False
        for number, place in enumerate(places):
            word = tokens[place].normal
            if number and (word in _ENDS or self._is_participle(place)) and not self._counts_day(place):
                return tokens[place].start
            if number and noun and place not in self._held and self._is_clause(word):
                # "restaurants serve …": what follows a name and is no name itself begins a clause.
                return tokens[place].start
            noun = noun or self.names.knows(word)
            if number and "(" in self.text[tokens[places[number - 1]].end : tokens[place].start]:
                return tokens[place].start
        return end

    def _is_clause(self, word: str) -> bool:
        return word not in _PASSED and word not in STOP_WORDS and not self.names.resembles(word)

    def _counts_day(self, place: int) -> bool:
        """Whether "at day 100" belongs to a name that holds the number."""
        return self.marked.normal(place) in {"at", "on", "in"} and self.marked.normal(place + 2) in self._digits

    def _is_participle(self, place: int) -> bool:
        word = self.marked.tokens[place].normal
        if not (word.endswith("ed") or word in _PARTICIPLES):
            return False
        return not self.names.knows(word)

    def head(self, start: int, end: int, kind: Kind | None = None) -> Item | None:
        """The item a stretch begins with, what narrows it left out."""
        span = self.span(start, end) or self.ratio(start, end)
        if span is not None:
            return span
        return self.read(start, self._stop(start, end), kind)

    def span(self, start: int, end: int) -> Item | None:
        """ "average number of days between A and B", "session duration in seconds": time from one date to another."""
        text = self.text[start:end]
        found = _SPAN.match(text)
        if found is not None:
            first = self._stamp(start + found.start("a"), start + found.end("a"))
            last = self._stamp(start + found.start("b"), start + found.end("b"))
            unit = (found["said"] or found["unit"]).casefold()
        else:
            found = _LASTING.match(text)
            if found is None:
                return None
            words = self._stamp(start + found.start("what"), start + found.end("what")).words
            first, last = (Item("stamp", (*words, edge)) for edge in ("start", "end"))
            unit = (found["said"] or "seconds").casefold()
        if not first.words or not last.words:
            return None
        self.seen.update(self.places(start, start + found.end()))
        kind = _SPANNED.get((found["fn"] or "").casefold().split(" ")[0], "span")
        return Item(kind, tree=("span", first, last), unit=unit, whole=found.group(0).strip())

    def ratio(self, start: int, end: int) -> Item | None:
        """ "ratio of A to B", "percentage of A out of B": one amount by another, each with its own conditions."""
        found = _RATIO.match(self.text[start:end])
        if found is None:
            return None
        sides: list[Item] = []
        for side in ("top", "bottom"):
            first, last = start + found.start(side), start + found.end(side)
            item = self.read(first, self._stop(first, last))
            if item is None or (not item.words and item.kind != "count"):
                return None
            ranked = self.names.rank(item.words)
            summed: Kind = "count" if ranked and ranked[0].column is None else "sum"
            kind = summed if item.kind == "dim" else item.kind
            sides.append(replace(item, kind=kind, places=(), whole="", narrowed=found[side]))
        tree: object = ("/", *sides)
        if found["share"]:
            tree = ("*", tree, 100.0)
        self.seen.update(self.places(start, start + found.end()))
        return Item("formula", tree=tree, whole="ratio")

    def _stamp(self, start: int, end: int) -> Item:
        words = [self.marked.normal(p) for p in self.places(start, end)]
        kept = [
            w
            for w in words
            if w not in STOP_WORDS and w not in _SKIP and w not in {"being", "getting", "time", "times"}
        ]
        return Item("stamp", tuple(kept) or tuple(words))

    def measure(self, start: int, end: int, *, most: bool) -> Item | None:
        """What is ranked by; "the most" counts, "the highest" takes a value."""
        item = self.head(start, end)
        if item is None:
            return None
        if item.kind == "dim" and most:
            return Item("count", item.words, item.places, item.distinct, whole=item.whole)
        return item

    def read(self, start: int, end: int, kind: Kind | None = None) -> Item | None:
        """The item that a whole stretch says."""
        text = self.text[start:end]
        lead = _LEAD.match(text)
        if lead is not None:
            start += lead.end()
            text = self.text[start:end]
        for name, item in self.defined.items():
            if re.search(rf"\b{re.escape(name)}\b", text):
                self.seen.update(self.places(start, end))
                if item.grain is not None:
                    self.grains.append(Item("grain", (item.grain,), grain=item.grain))
                return item
        grain = _GRAIN.match(text.strip())
        if grain is not None and kind is None:
            unit = grain[1].lower()
            return Item(
                "grain", (unit,), tuple(self.places(start, end)), grain="day" if unit == "date" else unit, whole=text
            )
        adverb = _ADVERB.match(text)
        if adverb is not None:
            start += adverb.end() + 1
            text = self.text[start:end]
        found: Kind = kind or "dim"
        counted = False
        distinct = False
        unit = ""
        for _ in range(3):
            gap = _DISTINCT.match(text)
            if gap is not None:
                distinct = True
                start += gap.end()
                text = self.text[start:end]
            for pattern, function in _FUNCTIONS:
                said = pattern.match(text)
                if said is None:
                    continue
                if said.group(0).casefold().split()[0] in {"latest", "most", "earliest"}:
                    unit = "time"
                if found == "dim" or kind == "count":
                    found = "count" if kind == "count" else function
                elif function == "count":
                    counted = True
                elif found in {"max", "min"} and function in {"avg", "sum"}:
                    found = function
                else:
                    continue
                start += said.end()
                text = self.text[start:end].lstrip()
                start = end - len(text)
                lead = _LEAD.match(text)
                if lead is not None:
                    start += lead.end()
                    text = self.text[start:end]
                break
        closing = re.search(r"\s+counts?\s*$", text, re.IGNORECASE)
        if closing is not None and found in {"dim", "sum"}:
            found, end = "count", start + closing.start()
        if "(" in text:
            end = start + text.index("(")
        week = re.search(r"\s+of\s+the\s+(?:week|month|year)\b", text, re.IGNORECASE)
        if week is not None:
            end = min(end, start + week.start())
        places = [p for p in self.places(start, end) if p not in self._held]
        words = [(p, self.marked.tokens[p].normal) for p in places]
        words = [
            (p, w)
            for p, w in words
            if (w not in STOP_WORDS or w in {"id", "own"}) and w not in _SKIP and (not w.isdigit() or w in self._digits)
            if w.lower() not in _GRAINS and w not in {"annual", "annually"}
        ]
        words = [(p, w) for p, w in words if w not in SUPERLATIVES or self.names.knows(w)]
        if len(words) > 1:
            words = [(p, w) for p, w in words if w not in _PARTICIPLES] or words
        if not words and found == "dim":
            return None
        if found == "dim" and [w for _, w in words] in (["counts"], ["count"]):
            found, words = "count", []
        if found == "sum" and counted:
            found, counted = "count", False
        return Item(
            found,
            tuple(w for _, w in words),
            tuple(p for p, _ in words),
            distinct,
            whole=self.text[start:end],
            counted=counted,
            unit=unit,
            first=" of " in self.text[start:end],
        )

    def says_ratio(self, start: int, end: int) -> bool:
        """Whether a stretch speaks of a ratio, whose "per" and "by" part its sides."""
        return re.search(r"\bratio\s+of\b", self.text[start:end], re.IGNORECASE) is not None

    def splits(self, start: int, end: int) -> list[tuple[Item, tuple[int, int]]]:
        """What a stretch says to split by, each with the text that says so."""
        found: list[tuple[Item, tuple[int, int]]] = []
        adverb = _ADVERB.search(self.text, start, end)
        if adverb is not None:
            unit = _GRAINS.get(adverb[0].lower(), "year")
            found.append((Item("grain", (unit,), tuple(self.places(*adverb.span())), grain=unit), adverb.span()))
        place = start
        while (match := _SPLIT.search(self.text, place, end)) is not None:
            group = match.lastgroup or "one"
            first = match.start(group)
            place = first
            if group == "five" and not self._by(start, match.start()):
                continue
            if group in {"two", "five"} and self.says_ratio(start, match.start()):
                continue
            lasts = _LASTS.match(self.text[first:end])
            if lasts is not None:
                unit = lasts[1].lower()
                found.append((Item("grain", (unit,), (), grain=unit), (match.start(), first)))
                continue
            stop = self._stop(first, end)
            comma = self.text.find(",", first, stop)
            stop = stop if comma < 0 else comma
            items = [item for item in self.several(first, stop) if item.kind in {"dim", "grain"}]
            found += [(item, (match.start(), stop)) for item in items]
        return found

    def _by(self, start: int, at: int) -> bool:
        """Whether "by" splits here: after something computed, and not after a verb or a ranking."""
        before = self.text[start:at].lower()
        words = before.split()
        if (
            not words
            or words[-1].endswith("ed")
            or words[-1] in _PARTICIPLES
            or re.search(r"\b(?:top|bottom)\s+\w+", before)
        ):
            return False
        return bool(
            re.search(
                r"\b(?:number|count|many|total|average|sum|avg|mean|revenue|amount|breakdown|distribution)\b", before
            )
        )

"""Cutting: a question's text becomes the phrases of what it asks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.agents.analyst.query.phrases.ask import Asked, Item, Kind, Rank, Sort
from averment.agents.analyst.query.phrases.items import ItemReader

if TYPE_CHECKING:
    from averment.agents.analyst.query.mentions import Marked
    from averment.agents.analyst.query.phrases.names import NameIndex

_SENTENCE = re.compile(r"(?<=[?.!])\s+(?=[A-Z])")
_ORDER = re.compile(
    r"[,;]?\s*(?:and\s+)?\b(?:(?:ordered|sorted|arranged)|(?:order|sort|arrange)"
    r"(?:\s+(?:the|them|it|this|these|results?|output|list|rows?|by))*|"
    r"(?:in|by)\s+(?:ascending|descending|alphabetical)(?:\s+order)?|"
    r"(?:listed|starting)\s+(?:from|with)|from\s+(?:the\s+)?(?:highest|most|largest|lowest|least|best|oldest|newest|latest|earliest)\s+to)\b",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\bdesc\w*|\bdecreas\w*|\b(?:highest|most|largest|greatest|best|latest|newest|longest|oldest)"
    r"(?:\s+\w+){0,3}\s+(?:to|first)\b|\breverse|\bstarting (?:from|with) the (?:latest|highest|most)",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"^(?:please\s+)?(?:return|show|list|display|give(?:\s+me)?|report|include|output|provide)\b"
    r"(?:\s+(?:me|only|just|all|both|the results?(?:\s+(?:as|with))?))*\s+",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"^(?:(?:can|could)\s+you\s+|please\s+|also,?\s+|and\s+)*(?:what(?:'s|’s|\s+(?:is|are|was|were))?|"
    r"who(?:\s+(?:is|are|was|were))?|which(?:\s+(?:is|are|was|were))?|calculate|compute|find(?:\s+out)?|show(?:\s+me)?|get|return|"
    r"list(?:\s+out)?|give(?:\s+me)?|report|display|retrieve|determine|identify|provide|tell\s+me|i\s+want)\b\s*",
    re.IGNORECASE,
)
_NUMBER = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)"
_MOST = r"(?:most|highest|largest|greatest|biggest|best|maximum|longest|latest|top)"
_FEWEST = r"(?:fewest|lowest|smallest|least|minimum|shortest|worst|earliest|cheapest)"
_TOP = re.compile(
    rf"\b(?:the\s+)?(?P<end>top|bottom|first)\s+(?P<n>{_NUMBER})\s+(?:(?P<often>(?:most|least)\s+(?:common|frequent|popular|frequently)"
    rf"(?:ly)?)\s+)?(?P<dim>.+?)(?:\s+(?:by|based\s+on|in\s+terms\s+of|ranked\s+by|with|having|that\s+ha(?:ve|s|d)|who\s+ha(?:ve|s|d)|"
    rf"which\s+ha(?:ve|s|d)|that|who)\s+(?:the\s+)?(?:(?P<way>{_MOST}|{_FEWEST})\s+)?(?P<by>.+))?$",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    rf"\b(?:the\s+)?(?P<n>{_NUMBER})?\s*(?P<way>most|least)\s+(?:common|frequent|popular|frequently)(?:ly)?\s+(?:\w+ed\s+|bought\s+|sold\s+)?(?P<dim>.+)$",
    re.IGNORECASE,
)
_SUPER = re.compile(
    rf"^(?:(?P<n>{_NUMBER})\s+)?(?P<dim>.+?)\s+(?:that\s+|who\s+|which\s+)?(?:\w+ed|with|has|have|had|having|has\s+\w+|made|sent|wrote|won|"
    rf"took|taught|sold|bought|is|are|was|were)\s+(?:been\s+\w+\s+)?(?:the\s+)?(?P<way>{_MOST}|{_FEWEST})\s+(?P<by>.+)$",
    re.IGNORECASE,
)
_PART = re.compile(r"^(?:and\s+)?how many (?:of\s+)?(?:these|those|them)\b", re.IGNORECASE)
_MANY = re.compile(r"^(?:and\s+)?how\s+(?:many|much)\s+(?P<what>.+)$", re.IGNORECASE)
_AND = re.compile(r",?\s+and\s+(?=(?:how\s+many|what\s+is|what\s+are|how\s+much)\b)", re.IGNORECASE)
_THEIRS = re.compile(
    r"\band\s+(?:their|its)\s+(?:respective\s+|corresponding\s+)?(?P<more>[\w ,]+?)"
    r"(?=\s+(?:for|in|where|who|that|order|sort)\b|[.?]|$)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:for|in|during|among|of|considering)\s+[^,]+(?:\([^)]*\))?,\s+(?=how|what|which|who|return|show|list|find)",
    re.I,
)
_ENDS = re.compile(
    r"from\s+(?:the\s+)?(?:highest|most|largest|best|longest|latest|newest|oldest|lowest|least|smallest|shortest|worst)"
    r"\s+(\w[\w ]*?)\s+to\b",
    re.IGNORECASE,
)
_LONGEST = 9
_GENERIC = frozenset(
    "percentage percent value values answer result results ratio total number average output rate".split()
)
"""Words that only say that there is an answer: "return the percentage value"."""
_WORDS = {w: n for n, w in enumerate("one two three four five six seven eight nine ten".split(), 1)}
_DOWNWARDS = frozenset("most highest largest greatest biggest best maximum longest latest top".split())
_MEASURES: frozenset[Kind] = frozenset({"count", "sum", "avg", "min", "max", "median", "stddev"})


class Cutter:
    """Takes one marked question apart."""

    def __init__(self, marked: Marked, names: NameIndex, defined: dict[str, Item] | None = None) -> None:
        self.marked = marked
        self.text = marked.text
        self.items = ItemReader(marked, names, defined)
        self.asked = Asked()
        self._more: list[Item] = []
        self._cut: tuple[int, int] | None = None

    def cut(self) -> Asked | None:
        """The question's phrases; None when it asks for nothing that is understood."""
        self._shown()
        place = 0
        sentences: list[tuple[int, int]] = []
        for found in _SENTENCE.finditer(self.text):
            sentences.append((place, found.start()))
            place = found.end()
        sentences.append((place, len(self.text)))
        theirs = _THEIRS.search(self.text)
        for number, (start, end) in enumerate(sentences):
            end = len(self.text[:end].rstrip(" ?.!"))
            if self._cut is not None and start < self._cut[0] < end:
                # What is shown besides was read already.
                end = self._cut[0]
            start, end = self._order(start, end)
            if end - start < 3:
                continue
            if number and _LIST.match(self.text[start:end]) and self.asked.head:
                self._list(start, end)
            elif number and _PART.match(self.text[start:end]):
                self.asked.parts.append((start, end))
            else:
                self._sentence(start, end, first=number == 0)
        asked = self.asked
        if not asked.listed:
            asked.items = list(asked.head)
            asked.items += [item for item in self._more if item not in asked.items]
            if theirs is not None and asked.head:
                more = self.items.several(theirs.start("more"), theirs.end("more"))
                asked.items += [item for item in more if item not in asked.items]
        asked.splits += [item for item in dict.fromkeys(self.items.grains) if item not in asked.splits]
        asked.used |= self.items.seen
        if asked.listed and not any(map(_is_computed, asked.items)):
            # What was computed before the list is asked for too.
            asked.items += [item for item in asked.head if _is_computed(item) and item not in asked.items]
        return asked if asked.items or asked.splits else None

    def _shown(self) -> None:
        """ ", showing the number of … and the total …": a list within the first sentence."""
        found = re.search(
            r",?\s+(?:showing|displaying|listing|along\s+with)\s+(?=the\b|their\b|its\b)", self.text, re.IGNORECASE
        )
        stop = re.search(r"\s+for\s+(?:each|every|all)\b|[.?]", self.text[found.end() :]) if found is not None else None
        sentence = _SENTENCE.search(self.text)
        if found is None or (sentence is not None and found.start() > sentence.start()):
            return
        end = len(self.text) if stop is None else found.end() + stop.start()
        self._more = self.items.several(found.end(), end)
        self._cut = (found.start(), end)

    def _order(self, start: int, end: int) -> tuple[int, int]:
        """Read what a sentence says of sorting and leave it out."""
        found = _ORDER.search(self.text, start, end)
        if found is None:
            return start, end
        words = self.text[found.start() : end]
        down = bool(_DOWN.search(words))
        by = re.search(r"\b(?:by|of)\s+(?:the\s+)?", self.text[found.start() : end])
        first = found.end() if by is None else found.start() + by.end()
        last = end
        cut = re.search(
            r",?\s*\b(?:(?:in|from|with|starting)\s+(?:the\s+)?(?:ascending|descending|alphabetical|highest|most|lowest|least|largest|smallest|"
            r"latest|earliest|reverse|increasing|decreasing|best)|(?:ascending|descending|alphabetically|first|desc|asc)\b)",
            self.text[first:end],
            re.IGNORECASE,
        )
        if cut is not None:
            last = first + cut.start()
        ends = _ENDS.search(words)
        if by is None and ends is not None:
            by, first = ends, found.start() + ends.start(1)
            last = found.start() + ends.end(1)
        keys = re.split(
            r",\s*(?:then\s+|and\s+)?(?:by\s+)?|\s+then\s+(?:by\s+)?|\s+and\s+(?:by\s+)?", self.text[first:last]
        )
        place = first
        for key in keys:
            at = self.text.index(key, place) if key else place
            place = at + len(key)
            item = self.items.read(at, at + len(key)) if key.strip() and by is not None else None
            if item is None and by is not None and key.strip():
                continue
            self.asked.sorts.append(Sort(item, down))
        self.asked.used.update(self.items.places(found.start(), end))
        if found.start() - start < 3:
            return end, end
        return start, found.start()

    def _list(self, start: int, end: int) -> None:
        """ "Return the name, the number of … and the total …": what is shown, in order."""
        lead = _LIST.match(self.text[start:end])
        first = start + (lead.end() if lead else 0)
        top = re.match(
            rf"(?:only\s+)?(?:the\s+)?(top|bottom|first)\s+({_NUMBER})\b", self.text[first:end], re.IGNORECASE
        )
        if top is not None and self.asked.head:
            # "Return the top 5 types": how many of what was asked before.
            down = self.asked.sorts[-1].down if self.asked.sorts else top[1].lower() != "bottom"
            by = self.asked.sorts[-1].item if self.asked.sorts else None
            self.asked.ranks.append(Rank(_number(top[2]), down, by))
            self.asked.used.update(self.items.places(start, end))
            return
        stop = re.search(
            r"\s+(?:for|of)\s+(?:each|every|all)\b|\s+(?:along\s+with)\s+", self.text[first:end], re.IGNORECASE
        )
        self.asked.used.update(self.items.places(start, first))
        last = end if stop is None else first + stop.start()
        found = self.items.several(first, last)
        if stop is not None and "along" in stop.group(0):
            found += self.items.several(first + stop.end(), end)
        found = [
            item
            for item in found
            if not (set(item.words) <= _GENERIC and item.kind != "count" and item.tree is None and item.by is None)
        ]
        if found:
            self.asked.items += [item for item in found if item not in self.asked.items]
            self.asked.listed = True

    def _sentence(self, start: int, end: int, *, first: bool) -> None:
        pieces: list[tuple[int, int]] = []
        place = start
        for found in _AND.finditer(self.text, start, end):
            pieces.append((place, found.start()))
            place = found.start() + re.search(r"\w", found.group(0).replace("and", "   ", 1) + "x").start()  # pyright: ignore[reportOptionalMemberAccess]  # there is an x
        pieces.append((place, end))
        for number, (begin, stop) in enumerate(pieces):
            while begin < stop and not self.text[begin].isalnum():
                begin += 1
            self._piece(begin, stop, first=first and number == 0)

    def _piece(self, start: int, end: int, *, first: bool) -> None:
        asked = self.asked
        opening = _OPENING.match(self.text[start:end])
        if opening is not None:
            start += opening.end()
        if not first and _PART.match(self.text[start:end]):
            asked.parts.append((start, end))
            return
        splits = self.items.splits(start, end)
        for item, span in splits:
            if item not in asked.splits:
                asked.splits.append(item)
            asked.used.update(self.items.places(*span))
        stop = min((span[0] for item, span in splits if span[0] > start and not _is_adverb(item, span)), default=end)
        many = _MANY.match(self.text[start:end])
        if many is not None:
            item = self.items.head(start + many.start("what"), end, kind="count")
            if item is not None and item not in asked.head:
                asked.head.append(item)
            return
        vary = re.match(r"how\s+(?:does|do|did)\s+the\s+(?=ratio\b)", self.text[start:end], re.IGNORECASE)
        head = vary or _HEAD.match(self.text[start:end])
        if head is None:
            if first and not self._ranked(start, end):
                asked.head += self.items.several(start, max(stop, start), head=True)
            return
        asked.used.update(self.items.places(start, start + head.end()))
        begin = start + head.end()
        inner = re.match(r"(?:the\s+)?[\w ]{3,40}?\s*\((?P<list>[^()]+)\)", self.text[begin:end])
        if (
            inner is not None
            and re.search(r",|\band\b", inner["list"])
            and self.items.all_named(begin + inner.start("list"), begin + inner.end("list"))
        ):
            # "users (user id and username)": what is shown of each.
            asked.items += self.items.several(begin + inner.start("list"), begin + inner.end("list"))
            asked.head += self.items.several(begin, begin + inner.start("list") - 1, head=True)
            asked.listed = True
            return
        whole = self.items.ratio(begin, self._end_of_ratio(begin, stop)) or self.items.span(begin, end)
        if whole is not None:
            # Its own "and" and "to" part two sides, not two items.
            asked.head.append(whole)
            return
        if self._ranked(begin, end):
            return
        asked.head += [
            item for item in self.items.several(begin, max(stop, begin), head=True) if item not in asked.head
        ]

    def _end_of_ratio(self, start: int, end: int) -> int:
        found = re.search(r"\s+(?:vary|varies)\b", self.text[start:end], re.IGNORECASE)
        return end if found is None else start + found.start()

    def _ranked(self, start: int, end: int) -> bool:
        """ "top 5 X by Y", "X with the most Y", "most common X"."""
        text = self.text[start:end]
        top = _TOP.search(text)
        if top is not None:
            down = (top["end"].lower() != "bottom") and (top["way"] or "most").lower() in _DOWNWARDS
            by = None
            if top["by"] and not top["often"]:
                most = (top["way"] or "").lower() in {"most", "fewest", "least"}
                by = self.items.measure(start + top.start("by"), end, most=most)
            self._say(start + top.start(), start + top.start("dim"))
            self._say(start + top.end("dim"), start + (top.start("by") if top["by"] else top.end("dim")))
            return self._take(start + top.start("dim"), start + top.end("dim"), Rank(_number(top["n"]), down, by))
        found = _SUPER.match(text)
        if found is not None and not re.search(r"\b(?:than|at)$", text[: found.start("way")].strip()):
            way = found["way"].lower()
            by = self.items.measure(start + found.start("by"), end, most=way in {"most", "fewest", "least"})
            if by is not None:
                rank = Rank(_number(found["n"]) if found["n"] else None, way in _DOWNWARDS, by)
                self._say(start, start + found.start("dim"))
                self._say(start + found.end("dim"), start + found.start("by"))
                return self._take(start + found.start("dim"), start + found.end("dim"), rank)
        often = _OFTEN.search(text)
        if often is not None:
            rank = Rank(_number(often["n"]) if often["n"] else None, often["way"].lower() == "most", None)
            self._say(start + often.start(), start + often.start("dim"))
            return self._take(start + often.start("dim"), end, rank)
        return False

    def _say(self, start: int, end: int) -> None:
        """Note that the words of a stretch were understood."""
        self.asked.used.update(self.items.places(start, end))

    def _take(self, start: int, end: int, rank: Rank) -> bool:
        found = self.items.several(start, end, head=True)
        if not found or any((item.kind in _MEASURES and item.words) or item.tree is not None for item in found):
            return False
        self.asked.head += [item for item in found if item not in self.asked.head]
        self.asked.ranks.append(rank)
        return True


def _number(text: str) -> int:
    return _WORDS.get(text.lower(), 0) or int(text)


def _is_computed(item: Item) -> bool:
    return item.kind in _MEASURES or item.tree is not None or item.by is not None


def _is_adverb(item: Item, span: tuple[int, int]) -> bool:
    """Whether a split is said by one word before what is split: "monthly average"."""
    return item.grain is not None and span[1] - span[0] <= _LONGEST and len(item.places) == 1

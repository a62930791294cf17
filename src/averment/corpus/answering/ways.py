"""The exact ways to an answer: a status, a document, a field, a section by its role."""

from __future__ import annotations

import re
from collections.abc import Callable

from averment.corpus.answering.answer import DocumentAnswer, TextPlace, silent
from averment.corpus.answering.expect import is_told
from averment.corpus.answering.fields import CLAIMS, Fields, people
from averment.corpus.answering.library import Library, TextLine
from averment.corpus.answering.question import CorpusQuestion
from averment.corpus.answering.words import key, keys, same_word

SECTIONS: dict[str, tuple[re.Pattern[str], re.Pattern[str]]] = {
    role: (re.compile(cue), re.compile(heading, re.IGNORECASE))
    for role, (cue, heading) in {
        "against": (
            r"\b(?:drawbacks?|disadvantages?|downsides?|(?:arguments?|objections?|reasons?) (?:are there |were there "
            r"|is there |given |raised |made |named )*(?:against|to)|cons|criticisms?|speaks? against|risks?)\b",
            r"\b(?:drawback|disadvantage|downside|objection|cons\b|argument|criticism|risk)",
        ),
        "alternatives": (
            r"\b(?:alternatives?|rejected (?:ideas|alternatives|options))\b",
            r"\b(?:alternative|rejected)",
        ),
        "open": (r"\b(?:open|unresolved) (?:questions?|issues?)\b", r"\b(?:open|unresolved)\b"),
        "goals": (r"(?<!non-)\bgoals?\b", r"^goals?\b"),
        "motivation": (r"\b(?:motivation|rationale)\b", r"\b(?:motivation|rationale)\b"),
        "compatibility": (r"\bbackwards?[- ]compatib\w+ (?:issues|concerns|impact)\b", r"\bcompatib"),
        "summary": (
            r"^what (?:does|did|is|are) .*\b(?:propose[ds]?|about|introduces?)$|^(?:summary|summari[sz]e)\b",
            r"^(?:summary|abstract|overview|introduction)$",
        ),
    }.items()
}
_STATUS = re.compile(
    r"(?:is|are|was|were|has|did|does)\b(.*)\b(accepted|approved|rejected|withdrawn|deferred|superseded|active|final|"
    r"implemented|draft)\b(.*)$"
)
_ROOM = 100
_SURE_SECTION = 0.95

Rank = Callable[[str, list[str]], list[float]]


class Ways:
    """Exact ways over some documents; ``rank`` says how near texts are to a question."""

    def __init__(self, library: Library, fields: Fields, rank: Rank | None) -> None:
        self._library = library
        self._fields = fields
        self._binder = fields.binder
        self._rank = rank

    def status(self, question: CorpusQuestion) -> DocumentAnswer | None:
        """Was it accepted, is it still active: a claim about a status field."""
        match = _STATUS.match(question.low)
        if not match or len(match[3].split()) > 2:
            return None
        number = question.bound[0] if question.bound else self._fields.meant(match[1])
        if number is None or not self._binder.status(number):
            return None
        allowed = next(values for cue, values in CLAIMS.items() if match[2].startswith(cue))
        said = "Yes" if self._binder.status(number) in allowed else "No"
        value = self._fields.values(number, "status")[0]
        answer = f"{said}: the status of {self._fields.label(number)} is {value.value}."
        return DocumentAnswer(answer, [self._fields.place(number, value)], "status", 1.0)

    def documents(self, question: CorpusQuestion) -> DocumentAnswer | None:
        """Questions whose answer is a document, and comparisons of documents that are named."""
        low, nouns = question.low, self._binder.nouns
        if len(question.bound) > 1 and re.search(r"\bdiffer|\bcompare|\bversus\b|\bvs\b", low):
            chosen = question.bound[:5]
            said = [f"{self._fields.label(n)}{self._with_status(n)}" for n in chosen]
            return DocumentAnswer(f"{'; '.join(said)}.", [self._titled(n) for n in chosen], "documents", 1.0)
        if len(question.bound) == 2 and re.search(
            r"\b(?:current|newer|latest|valid|up to date|supersede|replace)", low
        ):
            for old, new in (question.bound, question.bound[::-1]):
                found, _, places = self._fields.linked(old, "superseded by")
                if new in found:
                    answer = f"{self._fields.label(new)}: it supersedes {self._fields.label(old)}."
                    return DocumentAnswer(answer, [*places, self._titled(new)], "join", 1.0)
        wrote = re.match(
            rf"(?:which|what) (?:{nouns})s? (?:did|has|have|was|were) (.+?) (?:co-?)?(?:write|written|wrote|authored|"
            r"proposed?)\b ?(.*)$",
            low,
        ) or re.match(
            rf"(?:which|what) (?:{nouns})s? (?:was|were) (?:co-?)?(?:written|authored|proposed) by (.+?)"
            r"(?: (?:about|on|for) (.*))?$",
            low,
        )
        if wrote:
            about = re.sub(r"^(?:about|on|for|regarding)\b", "", wrote[2] or "").strip()
            return self._by_author(wrote[1], about)
        return self._which(question)

    def _which(self, question: CorpusQuestion) -> DocumentAnswer | None:
        low, nouns = question.low, self._binder.nouns
        asking = r"\b(?:which|what|who|when|why|how|where|is|are|does|do|did|was|were)\b"
        match = (
            re.match(rf"(?:(?:in|by) )?(?:which|what) (?:{nouns})\b(?! number)\s*(.*)$", low)
            or re.match(rf"((?!.*{asking}).+?)\s+(?:{nouns})(?:\s+number)?$", low)
            or re.match(rf"(?:the )?(?:{nouns}) (?:for|on|about|of|defining|describing) (.+)$", low)
        )
        if not match or question.bound or self._fields.asked(question):
            return None
        phrase = match[1]
        introduced = bool(
            re.search(r"^(?:first )?(?:introduced|added|brought|gave|made)\b|\b(?:introduced|added)$", phrase)
        )
        verb = re.match(r"(?:is|are|was|does|did|first)?\s*([a-z]+)\b", phrase)
        soft = {key(verb[1])} if verb and re.match(r"(?:which|what)", low) else set[str]()
        bound = self._binder.bind(phrase, introduced=introduced, soft=soft, strict=True)
        if bound is None:
            # "Which file" may as well ask for a file that a document names.
            kind = re.search(rf"\b(?:{nouns})s?\b", low)
            return silent("No document is about this.") if kind and kind[0].rstrip("s") in self._library.kinds else None
        if introduced and self._fields.is_gone(bound.document):
            return silent(f"Nearest: {self._fields.label(bound.document)}{self._with_status(bound.document)}.")
        if bound.rivals and not introduced:
            both = [bound.document, *bound.rivals][:2]
            said = "; ".join(f"{self._fields.label(n)}{self._with_status(n)}" for n in both)
            return DocumentAnswer(f"Two documents fit: {said}.", [self._titled(n) for n in both], "documents", 0.9)
        answer = f"{self._fields.label(bound.document)}."
        return DocumentAnswer(answer, [self._titled(bound.document)], "documents", 0.95)

    def _by_author(self, who: str, about: str) -> DocumentAnswer:
        used: list[TextPlace] = []
        skipped: int | None = None
        if match := re.match(r"the (?:co-?)?authors? of (.+)$", who):
            skipped = self._fields.meant(match[1])
            values = self._fields.values(skipped, "author") if skipped is not None else ()
            if skipped is None or not values:
                return silent("No document is about this.")
            used.append(self._fields.place(skipped, values[0]))
            who = people(", ".join(value.value for value in values))
        names = [set(keys(name)) for name in who.split(",") if name.strip()]
        found: list[int] = []
        for number in range(len(self._library.cards)):
            held = set(keys(" ".join(value.value for value in self._fields.values(number, "author"))))
            if number != skipped and any(name and name <= held for name in names):
                found.append(number)
        if about:
            bound = self._binder.bind(about)
            found = [bound.document] if bound is not None and bound.document in found else []
        if not found:
            return silent(f"No document has this author{' and is about this' if about else ''}.")
        places = [self._fields.place(n, self._fields.values(n, "author")[0]) for n in found[:8]]
        answer = f"{'; '.join(self._fields.label(n) for n in found[:8])}."
        return DocumentAnswer(answer, [*used, *places], "join", 0.95)

    def field(self, question: CorpusQuestion) -> DocumentAnswer | None:
        """A look-up of one field of one document."""
        fields = self._fields
        name = fields.asked(question)
        if name is None:
            return None
        topic = fields.topic(question, name)
        introduced = bool(re.search(r"introduc|\badded|\bgot\b", question.low))
        if question.bound:
            number = question.bound[0]
        else:
            bound = self._binder.bind(topic, introduced=introduced)
            if bound is None:
                named = re.search(rf"\b(?:{self._binder.nouns})\b", question.low)
                return silent("No document is about this.") if named else None
            number = bound.document
        card = self._library.cards[number]
        own = {each for field in card.fields for each in keys(field.key.replace("-", " "))}
        rest = {one for one in keys(topic) if not any(same_word(one, each) for each in own)}
        for term in question.terms:
            open_word = term.role == "unknown" and term.key in rest and term.key not in question.verbs
            if (term.role == "number" or open_word) and term.key not in card.field_keys | card.title_keys:
                return silent(f"{card.label} says nothing of {term.key}.")
        return self._valued(question, number, name)

    def _valued(self, question: CorpusQuestion, number: int, name: str) -> DocumentAnswer | None:
        fields, label = self._fields, self._fields.label(number)
        if name in ("superseded by", "replaces"):
            return self._linked(number, name)
        values = list(fields.values(number, name))
        if name == "resolution":
            values = [one for one in values if re.search(r"\d{4}", re.sub(r"https?://\S+", "", one.value))]
            if not values:
                return None
        if not values:
            prose = (
                name in ("version", "created", "status", "licence", "author", "homepage") and len(question.terms) > 1
            )
            prose = prose or not any(fields.values(n, name) for n in range(len(self._library.cards)))
            return None if prose else silent(f"{label} has no field {name}.")
        text = ", ".join(value.value for value in values)
        persons = name in ("author", "sponsor") or name.endswith("delegate") or "@" in text
        text = people(text) if persons else re.sub(r"\s*<?https?://\S+>?", "", text).strip() or text
        answer = f"{label}, {name.replace('-', ' ')}: {text}."
        return DocumentAnswer(answer, [fields.place(number, value) for value in values], "field", 1.0)

    def _linked(self, number: int, name: str) -> DocumentAnswer | None:
        found, numbers, places = self._fields.linked(number, name)
        label, status = self._fields.label(number), self._binder.status(number)
        if not found and not numbers:
            if not status:
                return None
            told = silent(f"{label} names none; its status is {status}.")
            told.nearest = [self._fields.place(number, self._fields.values(number, "status")[0])]
            return told
        kind = self._library.cards[number].kind.upper()
        others = ", ".join([self._fields.label(n) for n in found] or [f"{kind} {n}" for n in numbers])
        verb = "was superseded by" if name == "superseded by" else "replaces"
        return DocumentAnswer(f"{label} {verb} {others}.", places, "join" if found else "field", 1.0)

    def section(self, question: CorpusQuestion) -> DocumentAnswer | None:
        """A section that is asked for by its role ("drawbacks of X", "what does X propose"): its best sentences."""
        role = next((role for role, (cue, _) in SECTIONS.items() if cue.search(question.low)), None)
        if role is None:
            return None
        cue, heading = SECTIONS[role]
        if question.bound:
            number = question.bound[0]
            card = self._library.cards[number]
            if role == "summary" and any(t.role != "soft" and t.key not in card.title_keys for t in question.terms):
                return None
        else:
            rest = re.sub(
                r"\b(?:against|of|for|with|to|main|biggest|given|named|listed|what|why)\b",
                " ",
                cue.sub(" ", question.low),
            )
            bound = self._binder.bind(rest)
            if bound is None or bound.score < _SURE_SECTION:
                return None
            number = bound.document
        if number >= len(self._library.bodies):
            return None
        first, last = self._library.ranges[number]
        lines = [line for line in self._library.lines[first:last] if is_told(line.unit.text)]
        inside = [line for line in lines if any(heading.search(title) for title in self._library.block_of(line).path)]
        if role == "summary" and not inside:
            inside = lines[:4]
        chosen = self._best(question, inside[:40], in_order=role == "summary")
        if not chosen:
            return None
        places = [TextPlace(number, line.unit.start, line.unit.end, line.unit.text) for line in chosen]
        return DocumentAnswer(" ".join(place.text for place in places), places, "section", 0.85)

    def _best(self, question: CorpusQuestion, lines: list[TextLine], *, in_order: bool) -> list[TextLine]:
        """As many of the lines as a person reads, the nearest to the question, in their order."""
        if sum(line.size for line in lines) <= _ROOM:
            return lines
        order = list(range(len(lines)))
        if not in_order and self._rank is not None:
            near = self._rank(question.text, [line.unit.text[:400] for line in lines])
            order.sort(key=lambda n: (-(near[n] + 0.15 * 0.7**n), n))
        kept: list[int] = []
        room = _ROOM
        for n in order:
            if lines[n].size <= room:
                kept.append(n)
                room -= lines[n].size
            if room < 12 or (not in_order and len(kept) >= 5):
                break
        return [lines[n] for n in sorted(kept)]

    def _with_status(self, number: int) -> str:
        status = self._binder.status(number)
        return f", {status}" if status else ""

    def _titled(self, number: int) -> TextPlace:
        """Where a document says what it is called."""
        card = self._library.cards[number]
        for field in card.fields:
            if field.key in ("title", "subject", "name") or field.value == card.title:
                return self._fields.place(number, field)
        if card.fields:
            return self._fields.place(number, card.fields[0])
        blocks = self._library.bodies[number].blocks if number < len(self._library.bodies) else ()
        first = next((unit for block in blocks for unit in block.units), None)
        return (
            TextPlace(number, 0, 0, card.title)
            if first is None
            else TextPlace(number, first.start, first.end, first.text)
        )

"""What kind of answer a question expects, and whether a sentence can be one."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from averment.corpus.answering.question import NUMBER_WORDS, CorpusQuestion
from averment.corpus.answering.words import STOP, is_met, key, keys, kin_of, number
from averment.language.word_lists import patterns, word_lists

_PATTERNS = patterns("expect", "averment.corpus.answering")
_WORDS = word_lists("expect", "averment.corpus.answering")
MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = re.compile(
    rf"\b(?:1[0-9]|20)\d\d\b(?:-\d\d)?|\b{MONTH}\.? \d{{1,2}}\b|\b\d{{1,2}}(?:st|nd|rd|th)?[- ]{MONTH}\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(_PATTERNS["condition"], re.IGNORECASE)
_VERSION = re.compile(r"\b\d+\.\d+(?:\.\d+)?\b|\bversion \d|(?:[>=~]=|≥)\s*\d")
_NAME = r"(?:(?:Mc|Mac|De|Di|La|Le|O['’])?[A-ZŁÉÖÁÅØ][^\W\d_A-Z][^\W\d_A-Z'’]*(?:-[A-Z][^\W\d_A-Z]+)*)\b"
_PERSON = re.compile(rf"\b{_NAME}(?: (?:van|von|de|der|la|del|[A-Z]\.))* {_NAME}")
"""Two words that are written as a person's are: one capital each, and small letters behind it."""
_REASON = re.compile(_PATTERNS["reason"], re.IGNORECASE)
_NUMBERED = re.compile(r"\b([a-z][\w-]+) v?(\d[\d.]*)\b")
_HOW_MANY = re.compile(_PATTERNS["how_many"])
_BETWEEN = frozenset("different other more new more distinct kinds types".split())
_WORDED = "|".join(NUMBER_WORDS)
_NUMBER = re.compile(rf"\d|\b(?:{_WORDED}|half|twice|double|no)\b", re.IGNORECASE)
_NO_COUNT = re.compile(_PATTERNS["no_count"], re.IGNORECASE)
"""What holds a number and counts nothing: that of a thing, a version, a year, "no", "more than one", "one idea"."""
_AMOUNT = re.compile(r"\d+(?:\.\d+)?\s?(?:%|x\b|×|percent|times)|\btwice\b|\bhalf\b", re.IGNORECASE)
_TIME = re.compile(
    rf"\b(?:\d+|{_WORDED}|an?|few|several|half an|each|every)[- ](?:\w+[- ])?"
    r"(?:second|minute|hour|day|week|month|year|release)s?\b|\bannual|\byearly|\bmonthly|\bweekly|\bdaily",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?<=\s)[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*")
_PART_OF = re.compile(r"^(?:(?:The|An?|Its|Their) )?(?:\w+ ){0,2}(\w+) (?:of|in|at) (?:the )?$", re.IGNORECASE)
_LINKS = frozenset("as out because instead by ahead regardless".split())
"""Words that stand before "of" and name no part."""
_STAGES = frozenset(key(word) for word in _WORDS["stages"].split())
"""What is said of these is said of the thing itself: its stages and its measures are no parts of it."""
_PAST = re.compile(r"(?:when|(?:in )?(?:what|which) (?:year|month)) (?:was|were|did|had)\b")
_IMAGINED = re.compile(r"\b(?:would|could|might) (?:\w+ly )?(?:be|have|get|come|start|begin|end)\b", re.IGNORECASE)
"""What would be under a proposal was not; who asks when something was does not ask for it."""
_EXTENT = re.compile(_PATTERNS["extent"], re.IGNORECASE)
_OF_A_THING = re.compile(
    r"\bhow long (?:is|are|was|were|(?:may|can|must|should) \S+(?: \S+){0,5} be)\b(?!.*\w(?:ed|ept|alid)\b)"
)
"""Asks for the length of a thing, and not how long something is done to it ("how long is it supported?")."""
_NEGATED = re.compile(_PATTERNS["negated"], re.IGNORECASE)
_ERROR = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Iteration)\b")
_CONDITIONAL = re.compile(r"\b(?:if|unless|except|otherwise|only|instead)\b", re.IGNORECASE)
_ADDRESS = re.compile(r"\S*://\S+")
_CODE_NOUNS = frozenset(key(word) for word in _WORDS["code_nouns"].split())
_ERRORS = frozenset(key(word) for word in ("exception", "error", "warning"))
_DECIDING = frozenset(key(word) for word in ("default", "maximum", "minimum"))
_QUANTITY = re.compile(_PATTERNS["quantity"])
_CONTRAST = re.compile(_PATTERNS["contrast"], re.IGNORECASE)
_PLACED = re.compile(r"\b(?:in|at|inside|within|under|on|only|from|into) \w+\b")
_CALLED = re.compile(r"\b(?:called|call|known as|termed|named)\b")
_IS = re.compile(_PATTERNS["is"])
_IS_FIRMLY = re.compile(
    r"(?:is|are) (?:a|an|the|one|any|not|simply|used|basically)\b|means|refers|represents|denotes|consists|stands"
)


def fits(question: CorpusQuestion, text: str, code: Sequence[str], small: Collection[str]) -> float:
    """1 where what is asked for stands there, 0 where nothing certain is expected, -1 where it is missing."""
    kind, low = question.expects, question.low
    if kind in ("date", "number") and is_of_a_part(question, text):
        return -1.0
    if kind == "person":
        asked = set(keys(question.text))
        found = (match[0] for match in _PERSON.finditer(text) if not set(keys(match[0])) <= asked)
        return 1.0 if any(_is_person(one, small) for one in found) else -1.0
    if kind == "date":
        if _PAST.match(low) and _IMAGINED.search(text):
            return -1.0
        if any(match[0].lower() not in low for match in _DATE.finditer(text)):
            return 1.0
        ahead = re.search(r"^when (?:will|is|are|does|do|should|can|must|may)\b", low)
        if ahead and ahead[0] != "when will" and _CONDITION.search(text):
            return 0.5  # When something is done: as soon as something else is.
        return 0.3 if ahead and _VERSION.search(text) else -1.0
    if kind == "duration":
        extent = _OF_A_THING.search(low) and _EXTENT.search(text)
        return 1.0 if extent or _TIME.search(text) else -1.0
    if kind == "number":
        if re.search(r"\bhow (?:much|fast)|speedup|overhead|percent|share", low):
            return 1.0 if _AMOUNT.search(text) else -0.5 if _NUMBER.search(text) else -1.0
        return (
            1.0 if _adds_a_number(question, _NO_COUNT.sub(" ", text) if low.startswith("how many") else text) else -1.0
        )
    if kind == "why":
        return 1.0 if _REASON.search(text) else -0.3
    if kind == "place":
        return 1.0 if _PLACED.search(text) and len(text.split()) > 6 else -0.5
    if kind == "definition":
        return _defines(question, text)
    if kind == "difference":
        return 1.0 if _CONTRAST.search(text) else -0.2
    return _fits_focus(question, text, code) if kind == "thing" else 0.0


def _adds_a_number(question: CorpusQuestion, text: str) -> bool:
    """Whether a text has a number that the question has not."""
    asked = set(question.asked)
    return any(_NUMBER.search(word) and key(word.lower()) not in asked for word in text.split())


def counted(question: CorpusQuestion, text: str) -> float:
    """For "how many X": 1 where a number stands before X, -1 where X is not counted at all; 0 for other questions."""
    match = _HOW_MANY.search(question.low)
    if not match:
        return 0.0
    nouns = [key(word) for word in match[1].split() if word not in _BETWEEN and word not in STOP]
    wanted = {one for noun in nouns for one in (noun, *kin_of(noun))}
    words = [word.lower() for word in re.findall(r"[\w.,%]+", text)]
    at = [n for n, word in enumerate(words) if key(word.strip(".,")) in wanted]
    near = any(_NUMBER.search(word) for n in at for word in words[max(0, n - 4) : n])
    return 1.0 if near else -0.5 if at else -1.0


def lacks_what_decides(question: CorpusQuestion, text: str, named: Collection[str]) -> bool:
    """Whether what is told cannot be the value that a question asks for; ``named`` are the keys above it.

    A default, a maximum or a minimum must be called so, and that of what the question names: the one of something else
    looks the same. A quantity and a count must be there as a number.
    """
    if {term.key for term in question.terms} & _DECIDING:
        said = {*keys(text), *named}
        return any(
            not is_met(term.key, said)
            for term in question.terms
            if term.weight > 0 and (term.role != "soft" or term.key in _DECIDING)
        )
    if _QUANTITY.search(question.low):
        return not _adds_a_number(question, _NO_COUNT.sub(" ", text))
    return counted(question, text) < 0


def says_another(question: CorpusQuestion, text: str) -> bool:
    """Whether a text speaks of another number of the very thing that a question numbers ("tool 6", "tool 5.0")."""
    for name, asked in _NUMBERED.findall(question.low):
        if name in STOP or name in _BETWEEN:
            continue
        found = {number(one) for one in re.findall(rf"\b{re.escape(name)}(?:\s+|@|==)v?(\d[\d.]*)", text.lower())}
        mine = number(asked)
        same = {mine, *kin_of(mine)}
        if found and not any(one in same or one.startswith(f"{mine}.") for one in found):
            return True
    return False


def says_nothing_new(question: CorpusQuestion, text: str) -> bool:
    """Whether all the words of a text are those of the question."""
    asked = set(keys(question.text))
    asked |= {other for one in asked for other in kin_of(one)}
    return all(one in asked or one in STOP for one in keys(text))


def is_of_a_part(question: CorpusQuestion, text: str) -> bool:
    """Whether a text begins with a part of what a question names, and the question does not ask for that part."""
    known = {*keys(question.text), *_STAGES}
    for name in _NAMED.finditer(question.text):
        at = text.find(name[0])
        part = _PART_OF.search(text[:at]) if at > 0 else None
        if part is not None and part[1].lower() not in _LINKS and key(part[1].lower()) not in known:
            return True
    return False


def _fits_focus(question: CorpusQuestion, text: str, code: Sequence[str]) -> float:
    if question.focus in _ERRORS:
        return 1.0 if _ERROR.search(text) else -1.0
    if question.focus == key("version") or key("version") in question.asked:
        return 1.0 if _VERSION.search(text) else -1.0
    if question.focus in _CODE_NOUNS:
        asked = set(question.asked)
        return 1.0 if any(not set(keys(word)) <= asked for word in code) else -0.5
    return 0.0


def _is_person(phrase: str, small: Collection[str]) -> bool:
    """Whether capital words are a person's: one of them is never written small."""
    if re.match(r"(?:The|In|This|What|A|An|If|When|For)\b", phrase):
        return False
    return any(len(word) > 2 and word.lower() not in small for word in phrase.split())


def _defines(question: CorpusQuestion, text: str) -> float:
    subject = [term.key for term in question.terms if term.role != "soft"]
    if not subject:
        return 0.0
    match = _IS.search(text)
    before = keys(text[: match.start()]) if match else []
    if match and all(one in before for one in subject) and len(before) <= 2 * len(subject) + 4:
        if re.match(r"(?:is|are) (?:not|never|rarely|no longer)\b", text[match.start() :]):
            return -0.5  # What a thing is not, or where its name is not used, does not say what it is.
        return 1.0 if _IS_FIRMLY.match(text[match.start() :]) else 0.4
    held = set(keys(text))
    if _CALLED.search(text) and all(one in held for one in subject):
        return 0.8
    first = re.match(r"^([^:–]{2,60})(?::| – | - )", text)
    if first and set(subject) <= set(keys(first[1])):
        return 0.7
    if re.search(r"\bwhich (?:is|are|represents?|means?)\b|\bi\.e\.", text) and all(one in held for one in subject):
        return 0.6
    return -0.5


def verdict_of(question: CorpusQuestion, text: str) -> str:
    """Yes or No where a sentence takes up the predicate of a yes/no question.

    Nothing where the question is negated, the sentence lacks a word of it, or what it says holds under a condition.
    """
    if re.search(r"\bnot\b|n't\b|\bno\b", question.low) or _CONDITIONAL.search(text):
        return ""
    said = set(keys(text))
    if any(term.role in ("word", "unmet") and not is_met(term.key, said) for term in question.terms):
        return ""
    return "No" if _NEGATED.search(text) else "Yes"


def is_told(text: str) -> bool:
    """Whether a text can be told as a fact at all: prose, an order or a pair; no code, link, heading or fragment."""
    text = _ADDRESS.sub("", text).strip(" ,;<>()")
    words = text.split()
    if len(words) < (2 if ":" in text else 3):
        return False
    letters = sum(character.isalpha() or character.isspace() for character in text)
    if letters < 0.6 * len(text) and ":" not in text:
        return False
    label = r"^(?:Thread|See|Note|TODO|FIXME|XXX|Example|References?)\b\W{0,2}$"
    return not text.endswith("?") and not re.match(label, text)

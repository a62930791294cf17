"""Words: the lexicon as tables, tokens of questions and names, and how strongly one word stands for another.

Two words are kin if they are the same, one is the plural of the other, the lexicon puts them into one family, they
differ by suffixes of derivation only (survive, survival, survivor), one is the other cut short, or one is a
misspelling of the other. Each way has a strength of its own, so that a weaker way never beats a stronger one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from averment.charts.added import added_words
from averment.charts.kinds import OWN_KINDS
from averment.language.embeddings.weights import weights_dir
from averment.language.linking.affinity import distance
from averment.plans.operations import added_phrases

_BRITISH = (
    (re.compile(r"(?<=[a-z]{2})tre$"), "ter"),
    (re.compile(r"(?<=[a-z]{2})our(?=$|ed$|ing$|s$|able$|ful$|ite$|hood$)"), "or"),
    (re.compile(r"(?<=[a-z]{3})is(?=e$|ed$|er$|ing$|ation$)"), "iz"),
    (re.compile(r"(?<=[a-z]{3})ys(?=e$|ed$|er$|ing$)"), "yz"),
    (re.compile(r"(?<=[a-z]{2})ogue$"), "og"),
    (re.compile(r"(?<=[a-z]{3})ence$"), "ense"),
    (re.compile(r"ll(?=ed$|ing$|er$)"), "l"),
    (re.compile(r"mme$"), "m"),
)


@lru_cache(maxsize=50_000)
def american(word: str) -> str:
    """A word in one spelling, whichever of the two it has: centre and center, labour and labor."""
    for pattern, other in _BRITISH:
        word = pattern.sub(other, word)
    return word


SAME, PLURAL, FAMILY, SAID, DERIVED, ABBREVIATED, MISSPELT = 1.0, 0.97, 0.85, 0.82, 0.8, 0.76, 0.74

COUNTING_ENDS = frozenset({"most", "the most", "least", "the least", "fewest", "the fewest"})
"""Ends of a ranking that speak of how many rather than how much."""

MONTHS: list[str] = [*"january february march april may june july august september october november december".split()]
DAYS: list[str] = [*"monday tuesday wednesday thursday friday saturday sunday".split()]
_IRREGULAR = {
    "ids": "id",
    "women": "woman",
    "men": "man",
    "children": "child",
    "people": "person",
    "persons": "person",
    "feet": "foot",
    "data": "datum",
    "movies": "movie",
    "series": "series",
    "species": "species",
    "lives": "life",
    "heroes": "hero",
    "countries": "country",
    "died": "die",
    "quizzes": "quiz",
    "mice": "mouse",
    "teeth": "tooth",
    "wives": "wife",
    "knives": "knife",
    "indices": "index",
    "criteria": "criterion",
    "cookies": "cookie",
    "calories": "calorie",
    "status": "status",
    "gas": "gas",
    "bus": "bus",
    "analyses": "analysis",
    "potatoes": "potato",
    "tomatoes": "tomato",
}
_SUFFIXES = frozenset(
    [
        *(
            "",
            "e",
            "s",
            "es",
            "ed",
            "d",
            "ing",
            "ings",
            "er",
            "ers",
            "or",
            "ors",
            "r",
            "rs",
            "al",
            "als",
            "ion",
            "ions",
        ),
        *("ation", "ations", "ment", "ments", "ity", "y", "ies", "ied", "ness", "ive", "able", "ous", "ance", "ence"),
        *("ancy", "ency", "an", "ian", "ful", "ic", "ical", "ist", "ists", "ate", "ated", "ating", "ish", "ival", "ly"),
        *("age", "ages", "ant", "ants", "ary", "iest", "ier", "th"),
    ]
)
_STRANGERS = frozenset(
    frozenset(pair.split())
    for pair in (
        "comply complication|reply replication|"
        "state station|state statement|rate ration|man many|men many|art artist|number numb|part party|car care|"
        "car cared|time timed|play player|work worker|port porter|"
        "general generation|general genre|"
        "generate genera|race racing|use user|depart department|wine winery|wine win|wine winning|pass passive|"
        "popular population|popular populated|universe university|comment commentary|desc description|mission missing|"
        "even event|inter interest|coupe couple|price prize|form format|char character|station stationary|cent center|"
        "not note|bill billing|on one|store story|pass passenger|post postal|sale salary|minute minus|meter metal|"
        "rating ratio|rate rating|rated rate|rank ranch|age agent|age agency|marine mar|second secondary|hour house|"
        "press pressure|tense tension|stand standard|plan plane|plan planet|plant plan|mat match|mean meaning|"
        "sing single|time timer|time timed|"
        "organ organic|organ organization|act action|act actor|actor active|class classic|firm confirm|end ending"
    ).split("|")
)


@cache
def lexicon(name: str) -> dict[str, Any]:
    """One file of word knowledge."""
    text = resources.files("averment.reading.lexicon").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def word_list(name: str) -> frozenset[str]:
    """A list of plain words: ``stop``, ``light``, ``row`` …"""
    return frozenset(lexicon("words")["plain"][name].split())


@cache
def word_phrases(name: str) -> frozenset[str]:
    """A list of phrases of the lexicon, by the section that holds it."""
    return frozenset(lexicon("words")[name]["said"])


@cache
def cues() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Phrases that ask for something, each with the names of what it may ask for."""
    found: dict[tuple[str, ...], list[str]] = {}
    for section in lexicon("cues").values():
        for name, phrases in section.items():
            for phrase in phrases:
                found.setdefault(tuple(phrase.split()), []).append(name)
    for phrase, name in added_phrases():
        found.setdefault(phrase, []).append(name)
    for phrase in _chart_phrases():
        found.setdefault(phrase, ["chart"])
    return {phrase: tuple(dict.fromkeys(names)) for phrase, names in found.items()}


def _chart_phrases() -> Iterator[tuple[str, ...]]:
    """Every way to ask for a kind of chart: "as an area chart", "make that a pie chart"."""
    words = lexicon("words")["charts"]
    ours = [phrase for own in OWN_KINDS.values() for phrase in own.phrases]
    for kind in (*ours, *added_words()):
        for noun in words["nouns"]:
            for lead in words["leads"]:
                yield tuple(f"{lead} {kind} {noun}".split())


@cache
def adjectives() -> dict[str, tuple[tuple[bool, tuple[str, ...]], ...]]:
    """Adjectives that measure: whether more of it is a greater number, and the names of what they measure.

    Some measure two things in two directions: what is fast has a high speed or a short time.
    """
    found: dict[str, tuple[tuple[bool, tuple[str, ...]], ...]] = {}
    for word, body in lexicon("words")["adjective"].items():
        ways = [way.split() for way in body.split("|")]
        found[word] = tuple((way[0] == "+", tuple(way[1:])) for way in ways)
    return found


@cache
def graded() -> dict[str, tuple[str, str]]:
    """Every form of an adjective: the adjective and ``more``, ``most`` or ``least``."""
    found: dict[str, tuple[str, str]] = {}
    for word in adjectives():
        more, most = _forms(word)
        found.update(dict.fromkeys(more, (word, "more")))
        found.update(dict.fromkeys(most, (word, "most")))
        found.update(dict.fromkeys((f"least {word}", f"lowest {word}", f"worst {word}"), (word, "least")))
    return found


_PLAIN_ENDS = frozenset("green open golden wooden rotten even keen sullen hidden sudden".split())
"""Adjectives that end as participles do, and are none."""


def _forms(word: str) -> tuple[list[str], list[str]]:
    more, most = [f"more {word}"], [f"most {word}"]
    if word == "paid" or (word.endswith(("ed", "ing", "en")) and len(word) > 4 and word not in _PLAIN_ENDS):
        return [f"higher {word}", f"better {word}"], [
            *(f"{way} {word}" for way in ("highest", "best", "top", "most", "biggest", "highest-"))
        ]
    if word == "far":
        return ["farther", "further"], ["farthest", "furthest"]
    if len(word) <= 8:
        base = word
        if word.endswith("y"):
            base = word[: -2 if word.endswith("ey") else -1] + "i"
        elif word.endswith("e"):
            base = word[:-1]
        elif re.search(r"[^aeiou][aeiou][bdgmnt]$", word):
            base = word + word[-1]
        more.append(base + "er")
        most.append(base + "est")
    return more, most


@cache
def families() -> dict[str, frozenset[str]]:
    """The words of one family, by each of its words."""
    found: dict[str, set[str]] = {}
    for line in lexicon("words")["family"].values():
        words = [word.replace("_", " ") for word in line.split()]
        for word in words:
            found.setdefault(word, set()).update(words)
    return {word: frozenset(kin) for word, kin in found.items()}


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Words that say no to a yes/no column, with the names of such columns."""
    return {word: frozenset(names.split()) for word, names in lexicon("words")["opposite"].items()}


@cache
def units() -> dict[str, tuple[str, ...]]:
    """Units, with the words of names they fit."""
    return {unit: tuple(names.split()) for unit, names in lexicon("words")["unit"].items()}


@cache
def formulas() -> dict[str, tuple[tuple[str, ...], Any, tuple[str, ...]]]:
    """What two columns give together: the names of the first, the sign, the names of the second."""
    found: dict[str, tuple[tuple[str, ...], Any, tuple[str, ...]]] = {}
    for name, body in lexicon("words")["formula"].items():
        words = body.split()
        sign = next(word for word in words if word in "+-*/")
        at = words.index(sign)
        found[name] = (tuple(words[:at]), sign, tuple(words[at + 1 :]))
    return found


@cache
def operations() -> dict[str, Any]:
    """Words for arithmetic, each with its sign."""
    return {phrase: sign for sign, phrases in lexicon("words")["arithmetic"].items() for phrase in phrases}


@cache
def abbreviations() -> dict[str, tuple[str, ...]]:
    """What parts of names are short for."""
    return {short: tuple(long.split()) for short, long in lexicon("words")["abbreviation"].items()}


@cache
def said_of() -> dict[str, frozenset[str]]:
    """Names and parts of names, joined by ``_``, that other words say, and which do not say those words in turn.

    What is the highest temperature of a day is its high; who owes something owes the amount that is due.
    """
    return {name: frozenset(words.split()) for name, words in lexicon("said")["said_of"].items()}


def has_happened(word: str) -> bool:
    """Whether a verb says that something has happened: hired, left, sold."""
    return (len(word) > 3 and word.endswith("ed")) or word in word_list("participle")


@cache
def vocabulary() -> frozenset[str]:
    """English words, as the sentence model's word list has them; empty where it is not installed."""
    place = weights_dir()
    if place is None:
        return frozenset()
    text = (place / "vocab.txt").read_text(encoding="utf-8")
    return frozenset(word for word in text.split() if word.isalpha())


_TOKEN = re.compile(
    r"\d{4}-\d{2}-\d{2}|(?<![^\s(\[,=<>])-\d+(?:\.\d+)?\b|\d+(?:st|nd|rd|th)\b|\d+s\b|[$€£]?\d+(?:\.\d+)?[%kmb]?\b%?|[><]=?|==?|%|≥|≤|t-test|p-value|"
    r"[^\W\d_]+\d[^\W_]*(?:\.\d+)?|[^\W\d_]+(?:'[a-z]+)?(?:[./&][^\W\d_]+)*|[^\W_]+",
    re.IGNORECASE,
)


def tokens(text: str) -> list[tuple[str, int, int]]:
    """The words and numbers of a question in lower case, with where they stand."""
    plain = text.replace("’", "'").replace("‘", "'").replace("–", "-").replace("—", "-")
    plain = re.sub(r"\bnon-", "non ", plain, flags=re.IGNORECASE)
    # Thousands marks go, and the places stay as they were.
    plain = re.sub(r"(?<=\d),(?=\d{3}\b)", "\x00", plain)
    found: list[tuple[str, int, int]] = []
    joined = plain.replace("\x00", "")
    for match in _TOKEN.finditer(joined):
        word = re.sub(r"'s$|'$", "", match.group().lower())
        found.append((word, match.start(), match.end()))
    return found


def name_words(name: str) -> tuple[str, ...]:
    """The words a column's or table's name is made of."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z]{3})(?=\d)", " ", name)
    return tuple(word.lower() for word in re.findall(r"[^\W_]+", apart))


@lru_cache(maxsize=20_000)
def singular(word: str) -> str:
    """The singular of a noun, roughly."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and re.search(r"(ss|sh|ch|x|zz|(?<![ao])us)es$", word):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def is_plural(word: str) -> bool:
    """Whether a word looks like a plural noun."""
    if word.endswith(("ed", "ss")):
        return False
    return singular(word) != word or word in {"people", "species", "series", "staff", "data"}


@lru_cache(maxsize=50_000)
def edits(first: str, second: str) -> int:
    """How many letters are added, lost, changed or swapped between two words; 9 for words far apart."""
    if abs(len(first) - len(second)) > 2:
        return 9
    return distance(first, second, 3)


@cache
def _alternations() -> tuple[frozenset[str], ...]:
    """Endings that one stem takes in turn: satisfied and satisfaction, subscribe and subscription."""
    return tuple(frozenset(line.split()) for line in lexicon("words")["alternation"].values())


def derived(first: str, second: str) -> bool:
    """Whether two words differ by suffixes of derivation only, or by endings that alternate on one stem."""
    shared = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        shared += 1
    for cut in range(shared, max(2, shared - 3), -1):
        rests = (first[cut:], second[cut:])
        if all(rest in _SUFFIXES or (rest and rest[0] == first[cut - 1] and rest[1:] in _SUFFIXES) for rest in rests):
            return cut >= 4 or (cut == 3 and min(len(first), len(second)) == 3)
    stems = range(4, shared + 1)
    return any(first[cut:] in ends and second[cut:] in ends for cut in stems for ends in _alternations())


@lru_cache(maxsize=100_000)
def kinship(word: str, name: str) -> float:
    """How strongly a word of a question stands for a word of a name, from 0 to 1."""
    if word == name:
        return SAME
    if not word or not name or word.isdigit() or name.isdigit():
        return 0.0
    one, other = singular(word), singular(name)
    if one == other or american(one) == american(other):
        return PLURAL
    kin = families()
    if any(b in kin.get(a, ()) for a in (word, one) for b in (name, other)):
        return FAMILY
    if one in abbreviations().get(name, ()) or word in abbreviations().get(name, ()):
        return 0.92
    if word in said_of().get(name, ()) or one in said_of().get(other, ()):
        return SAID
    if {frozenset((word, name)), frozenset((one, other))} & _STRANGERS or word in word_list("stop"):
        return 0.0
    if len(one) > 2 and len(other) > 2 and derived(one, other):
        return DERIVED
    known = vocabulary()
    if word in graded():
        return 0.0
    if len(name) >= 3 and len(word) >= len(name) + 3 and word.startswith(name):
        return ABBREVIATED if name not in known else 0.68
    if len(word) >= 4 and len(name) >= 4 and word not in known and one not in known and known:
        allowed = 1 if len(word) < 7 else 2
        if word[0] == name[0] and min(edits(word, name), edits(one, other)) <= allowed:
            return MISSPELT
        if len(word) >= 7 and one[:5] == other[:5] and derived(re.sub("er$", "or", one), other):
            return 0.72
    return 0.0


def speaks_of_bad(words: Iterable[str]) -> bool:
    """Whether one of some words is for what nobody wants more of, or a relative of such a word."""
    said = {singular(each) for w in words for each in (w, *abbreviations().get(w, ()))}
    return any(kinship(word, bad) >= DERIVED for word in said for bad in word_list("bad"))

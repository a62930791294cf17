"""The words of a sentence in one spelling: contractions in full, numbers in digits, synonyms as their first word."""

from __future__ import annotations

import re
from functools import lru_cache

from averment.language.numbers.number_words import read_cardinal
from averment.language.stems import root
from averment.language.word_lists import toml_file, word_lists

Words = tuple[str, ...]

_TOKEN = re.compile(r"\d{4}-\d\d-\d\d|\d+(?:[.,:]\d+)*%?|\w+(?:['’.-]\w+)*|[^\w\s]", re.UNICODE)
_CONTRACTED = {"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not"}
_N_T = re.compile(r"n['’]t$")
_QUOTES = str.maketrans("", "", '"“”`*_')
_LONGEST = 6
_MONTHS: tuple[str, ...] = tuple("jan feb mar apr may jun jul aug sep oct nov dec".split())
_NAMED = (
    r"Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|"
    r"Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?"
)
_DAY = re.compile(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[ -](?:of )?(?P<month>{_NAMED})\.?,?[ -](?P<year>\d{{4}})\b"
    rf"|\b(?P<named>{_NAMED})\.? (?P<nth>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<in>\d{{4}})\b"
)

_PREFIXES = ("over", "under", "out", "up", "re", "un", "mis", "fore")
IRREGULAR = {
    form: base
    for base, *forms in (line.split() for line in word_lists("retelling")["irregular"].splitlines())
    for form in forms
}


def base_of(word: str) -> str:
    """One spelling for all forms of a verb; for comparing only."""
    return root(_irregular(word) or word)


def _irregular(word: str) -> str | None:
    """The base of an irregular form, with or without a prefix: "overridden", "rebuilt"."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    prefix = next((one for one in _PREFIXES if word.startswith(one) and word[len(one) :] in IRREGULAR), None)
    return None if prefix is None else prefix + IRREGULAR[word[len(prefix) :]]


def is_past(word: str) -> bool:
    """Whether a word may be a past form or a participle."""
    return word.endswith("ed") or (_irregular(word) or "be") not in {"be", "do"}


def words_of(text: str) -> Words:
    """A sentence's words in one spelling, without its full stop."""
    found: list[str] = []
    for token in _TOKEN.findall(_with_plain_days(" ".join(text.translate(_QUOTES).split()))):
        word = token.casefold().replace("’", "'")
        if word in _CONTRACTED:
            found += _CONTRACTED[word].split()
        elif _N_T.search(word):
            found += [word[:-3], "not"]
        elif word.endswith("%") and len(word) > 1:
            found += [word[:-1].replace(",", ""), "%"]
        else:
            found.append(word.replace(",", "") if word[0].isdigit() else word)
    while found and found[-1] in {".", "!", "?"}:
        found.pop()
    return tuple(_one_spelling(_in_digits(found)))


def _with_plain_days(text: str) -> str:
    """The text with every day of the calendar written in one way."""

    def plain(match: re.Match[str]) -> str:
        month = _MONTHS.index((match["month"] or match["named"])[:3].casefold()) + 1
        return f"{match['year'] or match['in']}-{month:02}-{int(match['day'] or match['nth']):02}"

    return _DAY.sub(plain, text)


def _in_digits(words: list[str]) -> list[str]:
    found, at = list[str](), 0
    while at < len(words):
        read = None if words[at] in {"a", "an", "one"} else read_cardinal([*words[at].split("-"), *words[at + 1 :]])
        if read is None or not words[at].replace("-", "").isalpha():
            found.append(words[at])
            at += 1
            continue
        value, used = read
        found.append(format(value.normalize(), "f"))
        at += max(1, used - words[at].count("-"))
    return found


def _one_spelling(words: list[str]) -> list[str]:
    """The words with each turn of phrase as the first of its group; the longest turn wins."""
    groups, found, at = _groups(), list[str](), 0
    while at < len(words):
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            said = groups.get(tuple(words[at : at + length]))
            if said is not None or length == 1:
                found += [words[at]] if said is None else said
                at += length
                break
    return ["a" if word == "an" else word for word in found]


@lru_cache(maxsize=1)
def _groups() -> dict[Words, list[str]]:
    lists = toml_file("averment.language.retelling", "synonyms.toml")
    found: dict[Words, list[str]] = {}
    for group in lists["others"]:
        turns = [tuple(turn.split("_")) for turn in group.split()]
        found |= {turn: list(turns[0]) for turn in turns[1:]}
    for group in lists["verbs"]:
        first, *rest = group.split()
        kept = _forms(first)
        for verb in rest:
            found |= {(form,): [same] for form, same in zip(_forms(verb), kept, strict=True) if (form,) not in found}
    return found


def _forms(verb: str) -> list[str]:
    """Base, third person, past, participle and gerund of a verb."""
    irregular = [form for form, base in IRREGULAR.items() if base == verb]
    doubled = verb + verb[-1] if re.search(r"(?:^|[^aeiou])[aeiou][bdgmnpt]$", verb) and _stressed(verb) else verb
    if re.search(r"[^aeiou]y$", verb):
        third, regular = verb[:-1] + "ies", verb[:-1] + "ied"
    else:
        third = verb + ("es" if verb.endswith(("s", "sh", "ch", "x")) else "s")
        regular = verb + "d" if verb.endswith("e") else doubled + "ed"
    past, participle = (irregular[0], irregular[-1]) if irregular else (regular, regular)
    return [verb, third, past, participle, (verb[:-1] if verb.endswith("e") else doubled) + "ing"]


def _stressed(verb: str) -> bool:
    return len(re.findall(r"[aeiou]+", verb)) == 1 or verb in {"omit", "permit", "begin", "commit"}

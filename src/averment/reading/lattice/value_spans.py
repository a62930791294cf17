"""Which words of a question may be a value of a column, and how strongly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from averment.reading.words import (
    DAYS,
    MONTHS,
    PLURAL,
    SAID,
    cues,
    families,
    graded,
    kinship,
    lexicon,
    singular,
    vocabulary,
    word_list,
)

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column

SMALL = 60
"""Of columns with at most so many values, parts and relatives of values are recognised too."""

_NOT_WORDS = re.compile(r"[\W_]+")


@dataclass(slots=True)
class _Index:
    """A column's values by their words."""

    whole: dict[str, object]
    by_word: dict[str, list[str]]
    codes: bool


_INDEXES: dict[int, tuple[object, _Index]] = {}


def _index(column: Column) -> _Index:
    kept = _INDEXES.get(id(column))
    if kept is not None and kept[0] is column:
        return kept[1]
    whole: dict[str, object] = {}
    for value in column.values:
        whole.setdefault(_key(str(value)), value)
    by_word: dict[str, list[str]] = {}
    for text in whole:
        for part in text.split():
            by_word.setdefault(part, []).append(text)
    made = _Index(whole, by_word, any(len(text) == 2 for text in whole))
    if len(_INDEXES) > 5_000:
        _INDEXES.clear()
    _INDEXES[id(column)] = (column, made)
    return made


def _key(text: str) -> str:
    return _NOT_WORDS.sub(" ", text.lower()).strip()


@cache
def _codes() -> dict[str, tuple[str, ...]]:
    """Full names of states and countries with the codes they are written as."""
    found: dict[str, tuple[str, ...]] = {}
    for section in lexicon("places").values():
        for code, name in section.items():
            found[name.lower()] = (*found.get(name.lower(), ()), code.lower())
    return found


def value_spans(lattice: Lattice, column: Column) -> None:
    """Hypotheses that some words mean a value of this column."""
    if (
        column.kind != "text"
        or not column.values
        or (column.has("key") and column.distinct > 500)
        or column.has("flag")
    ):
        return
    index = _index(column)
    words, stop = lattice.words, word_list("stop")
    small = (column.has("category") and column.distinct <= SMALL) or column.distinct <= SMALL
    for start, word in enumerate(words):
        for end in range(start + 1, min(len(words), start + 6) + 1):
            inside = words[start:end]
            text = _key(" ".join(inside))
            if not text or (end == start + 1 and word in stop and word not in lattice.capital):
                continue
            found = _whole(index, text, lattice)
            if found is None and end == start + 1 and (word in graded() or (word,) in cues()):
                continue  # "higher" compares, and is no relative of a high priority
            money = word in word_list("money_noun") or word in word_list("money_verb")
            if found is None and end == start + 1 and word not in lattice.row_words and not money:
                found = _relative(index, word, column, small, lattice)  # Spending is not what Sales did.
            if found is None and end > start + 1:
                kin = sorted(v for v in families().get(text, ()) if v in index.whole)
                found = (kin[0], 0.86) if kin else _several(index, inside)
            row = end == start + 1 and word in lattice.row_words and word not in lattice.capital
            if row and found is not None:
                found = (found[0], min(found[1], 0.72))  # A product is first of all a row of products.
            if found is None and end == start + 1:
                found = _coded(index, word)
            if found is None and small and not row and (not column.has("label") or word in lattice.capital):
                found = _piece(index, inside, stop)
            if found is not None:
                key, strength = found
                if not small and column.distinct > 400 and end == start + 1 and strength < 1.0:
                    strength -= 0.15
                lattice.add(start, end, "VALUE", strength, (column, index.whole[key]))


def _whole(index: _Index, text: str, lattice: Lattice) -> tuple[str, float] | None:
    if text in index.whole:
        if len(text) == 1 and text not in lattice.capital and not text.isdigit():
            return None
        if text.isdigit():
            return text, 0.6
        single = " " not in text
        if single and text in _FIGURES and text not in lattice.capital:
            return None  # "Total seats" are those of all films, though one is called Total.
        if single and text not in lattice.capital:
            if text in _everyday():
                return text, 0.72 if len(index.whole) <= SMALL else 0.4
            if len(index.whole) > 400 and text in vocabulary():
                return text, 0.55
        return text, 1.0
    for code in _codes().get(text, ()):
        if code in index.whole and index.codes:
            return code, 0.95
    return None


def _several(index: _Index, inside: list[str]) -> tuple[str, float] | None:
    """The plural of a value of several words: "follow-ups" for Follow-up."""
    last = inside[-1]
    one = _key(" ".join([*inside[:-1], last[:-1] if len(last) == 3 and last[-1] == "s" else singular(last)]))
    return (one, PLURAL) if one in index.whole else None


_FIGURES = frozenset("total average mean median sum count number maximum minimum max min top most least".split())
"""Words that ask for a figure; written small, they are no name."""


@cache
def _everyday() -> frozenset[str]:
    """Words of questions that are values by accident only."""
    return (
        word_list("light")
        | word_list("row")
        | word_list("person")
        | word_list("stop")
        | {
            "average",
            "total",
            "count",
            "number",
            "other",
            "name",
            "first",
            "last",
            "top",
            "high",
            "low",
            "new",
            "old",
            "all",
            "any",
            "none",
            "more",
            "most",
            "less",
            "list",
            "show",
        }
    )


def _relative(index: _Index, word: str, column: Column, small: bool, lattice: Lattice) -> tuple[str, float] | None:
    """One word that is kin to a value of one word, names its day or month, or begins an abbreviation."""
    # In free text only the word itself counts: a relative of it is somebody's title by accident.
    floor = 0.72 if small else 0.97
    if small or len(word) > 4:
        close = max(
            ((kinship(word, value), value) for value in index.whole if " " not in value and len(value) > 1),
            default=None,
        )
        own = close is not None and close[0] < 0.95 and singular(word) in map(singular, column.words)
        if close is not None and close[0] >= floor and close[0] != SAID and not own:
            # What is said of a column names no value, nor does its own name: vehicles are not the cars among them.
            strength, value = close
            if strength == 0.85 and {"sex", "gender"} & set(column.words):
                strength = 1.1
            return value, strength
    if singular(word) in (*DAYS, *MONTHS):
        short = next((v for v in index.whole if len(v) in {3, 4} and singular(word).startswith(v)), None)
        if short is not None:
            return short, 0.97
    initial = next((v for v in index.whole if len(v) == 1), None)
    if initial is not None and {"sex", "gender"} & set(column.words):
        for letter, relatives in (("m", "man"), ("f", "woman")):
            if letter in index.whole and word in families()[relatives]:
                return letter, 1.05
    if small and word in lattice.capital and len(word) > 4:
        code = next(
            (v for v in index.whole if 2 < len(v) <= 4 and str(index.whole[v]).isupper() and word.startswith(v)), None
        )
        if code is not None:
            return code, 0.7
    bare = next((v for v in ("no", "none") if v in index.whole), None)
    denies = bare is not None and len(word) > 5 and word[:2] in {"un", "in"}
    if denies and any(kinship(word[2:], name) >= 0.8 for name in column.words):
        return str(bare), 0.9
    return None


_CODE = re.compile(r"[a-z]+\d+[a-z]?|\d+[a-z]+")


def _coded(index: _Index, word: str) -> tuple[str, float] | None:
    """The one value that begins with a code: "P2" for P2 - High; or the fiscal year of a number: 2023 for FY2023."""
    if re.fullmatch(r"(?:19|20)\d\d", word):
        able = [text for text in (f"fy{word}", f"fy {word}", f"fy{word[2:]}", f"fy {word[2:]}") if text in index.whole]
        return (able[0], 0.98) if able else None
    if _CODE.fullmatch(word) is None:
        return None
    able = [value for value in index.by_word.get(word, ()) if value.startswith(f"{word} ")]
    return (able[0], 0.98) if len(able) == 1 else None


_FIRM = frozenset({0.8, 0.97, 1.0})
_MEASURED = frozenset("time day week month year hour minute price cost rate number total amount people person".split())
"""Words of figures and times, which are parts of values by accident."""


def _piece(index: _Index, inside: list[str], stop: frozenset[str]) -> tuple[str, float] | None:
    """Words that stand in exactly one value: "varroa" in "Varroa mites"."""
    if set(inside) & stop or any(len(word) < 3 for word in inside) or (len(inside) == 1 and len(inside[0]) < 4):
        return None
    if len(inside) == 1 and (singular(inside[0]) in _MEASURED or inside[0] in word_list("money_noun")):
        return None  # "Delivery time" is not what came on time.
    first = inside[0]
    able = set(index.by_word.get(first, ())) | set(index.by_word.get(singular(first), ()))
    if len(first) >= 5:
        able |= {v for n, values in index.by_word.items() if kinship(first, n) in _FIRM for v in values}
    fitting = [
        v
        for v in able
        if all(any(kinship(word, part) in _FIRM for part in v.split()) for word in inside)
        and not {"not", "no", "non"} & set(v.split())
    ]
    if len(fitting) == 1:
        return fitting[0], 0.62 + 0.28 * len(inside) / max(len(inside), len(fitting[0].split()))
    return None

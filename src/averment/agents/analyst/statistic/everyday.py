"""Everyday words for tests and models, said again in the words of their methods.

"Is revenue different between web and store?" asks for a test of two groups, "predict revenue from price" for a model.
The method that is taken stands in the reading, so that whoever asked sees which one it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from averment.language.tokens import split_words

if TYPE_CHECKING:
    from averment.tables.profile import ColumnProfile, TableProfile

MOST_WORDS = 25
_SEXES: dict[str, tuple[str, ...]] = {
    "men": ("man", "male", "m"),
    "male": ("m",),
    "women": ("woman", "female", "f", "w"),
    "female": ("f", "w"),
}
_NOUN = r"[\w][\w ]*?"
_END = r"\s*[?.]?\s*$"
_SIGNIFICANTLY = r"(?:(?:statistically |significantly )*)"
_OUTLIERS = re.compile(
    r"^(?:please )?(?:find |show |detect |identify |count |are there (?:any )?|how many |number of )?(?:the |any )?"
    r"(?:outliers?|anomal(?:y|ies)|extreme values|unusual values)(?: are there)? (?:in|of|for) (?P<x>[\w ]+?)"
    r"(?: (?:by|with|using|based on|via|from) (?:the |a )?(?P<how>iqr|interquartile range|z-?scores?)"
    r"(?: rule| method)?)?"
    rf"{_END}"
)
_PREDICT = re.compile(
    rf"^(?:can (?:you|we) )?(?:predict|model|explain|estimate) (?:the )?(?P<x>{_NOUN}) "
    rf"(?:from|using|by|with|based on|through) (?P<y>[\w ,]+?){_END}"
)
_RELATED = re.compile(
    rf"^(?:is|are|does|do|how (?:is|are|does|do|strongly (?:is|are))) (?:the )?(?P<x>{_NOUN}) {_SIGNIFICANTLY}"
    rf"(?:related to|correlated (?:with|to)|linked to|associated with|depend(?:ent)? (?:on|of|upon)|"
    rf"independent (?:of|from)|relate to|tied to|connected (?:to|with)) (?:the )?(?P<y>{_NOUN}){_END}"
)
_RELATION = re.compile(
    r"^(?:is there (?:an? )?|what is the |show (?:me )?the |how strong is the )(?:significant |strong )*"
    rf"(?:relationship|relation|association|link|dependence|connection) between (?:the )?(?P<x>{_NOUN}) and (?:the )?"
    rf"(?P<y>{_NOUN}){_END}"
)
_DIFFERS = re.compile(
    rf"^(?:is|are|does|do) (?:the )?(?:average |mean )?(?P<x>{_NOUN}) {_SIGNIFICANTLY}(?:different|differ|vary) "
    rf"(?:between|across|among|by|for) (?:the )?(?P<y>[\w ,]+?){_END}"
)
_DIFFERENCE = re.compile(
    r"^is there (?:an? )?(?:statistically )?significant difference (?:in|of) (?:the )?(?:average |mean )?"
    rf"(?P<x>{_NOUN}) (?:between|across|among) (?:the )?(?P<y>[\w ,]+?){_END}"
)
_HIGHER = re.compile(
    rf"^(?:is|are) (?:the )?(?:average |mean )?(?P<x>{_NOUN}) (?:statistically )?significantly (?:higher|lower|greater|"
    rf"larger|smaller|more|less) (?:in|for|of|at|on|via) (?:the )?(?P<a>{_NOUN}) than (?:in |for |of |at |on |via )?"
    rf"(?:the )?(?P<b>{_NOUN}){_END}"
)
_TESTED = re.compile(r"\b(anova|kruskal(?:[- ]wallis)?)\b(?P<on>.*?) (?:across|among|between|over) ")
_KENDALL = re.compile(r"\bkendall(?:'s)?[- ]tau(?:[- ]b)?(?: correlation)?\b")


def said_plainly(text: str, profile: TableProfile) -> str:
    """The question in the words of its method, or as it is where it names one or asks for none."""
    if "@" in text or len(text.split()) > MOST_WORDS:
        return text
    low = " ".join(text.casefold().split())
    readers: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], TableProfile], str | None]], ...] = (
        (_OUTLIERS, _outliers),
        (_PREDICT, _prediction),
        (_RELATED, _relation),
        (_RELATION, _relation),
        (_DIFFERS, _difference),
        (_DIFFERENCE, _difference),
        (_HIGHER, _higher),
    )
    for pattern, read in readers:
        found = pattern.search(low)
        said = read(found, profile) if found is not None else None
        if said is not None:
            return said
    if _KENDALL.search(low):
        return _KENDALL.sub("kendall correlation", low)
    return _TESTED.sub(r"\1\g<on> by ", low) if _TESTED.search(low) else text


def _outliers(found: re.Match[str], profile: TableProfile) -> str | None:
    column = _named(profile, found["x"])
    if column is None or not _is_number(column):
        return None
    how = "z-score" if (found["how"] or "").startswith("z") else "IQR"
    return f"number of outliers in {column.name} using the {how} method"


def _prediction(found: re.Match[str], profile: TableProfile) -> str | None:
    target = _named(profile, found["x"])
    features = [_named(profile, part) for part in re.split(r",\s*(?:and )?| and ", found["y"])]
    known = [each for each in features if each is not None]
    if target is None or len(known) != len(features):
        return None
    names = " and ".join(each.name for each in known)
    if _is_number(target):
        return f"linear regression of {target.name} on {names}"
    return f"accuracy of a logistic regression of {target.name} on {names}"


def _relation(found: re.Match[str], profile: TableProfile) -> str | None:
    one, two = _named(profile, found["x"]), _named(profile, found["y"])
    if one is None or two is None or one.name == two.name:
        return None
    if _is_number(one) and _is_number(two):
        return f"correlation between {one.name} and {two.name}"
    if not _is_number(one) and not _is_number(two):
        return f"chi-square test of {one.name} and {two.name}"
    number, group = (one, two) if _is_number(one) else (two, one)
    return f"anova test of {number.name} by {group.name}"


def _difference(found: re.Match[str], profile: TableProfile) -> str | None:
    number = _named(profile, found["x"])
    if number is None or not _is_number(number):
        return None
    group = _named(profile, found["y"])
    if group is not None and not _is_number(group):
        return f"anova test of {number.name} by {group.name}"
    values = re.split(r" (?:and|vs\.?|versus) ", found["y"])
    return _two(number, values, profile)


def _higher(found: re.Match[str], profile: TableProfile) -> str | None:
    number = _named(profile, found["x"])
    return None if number is None else _two(number, [found["a"], found["b"]], profile)


def _two(number: ColumnProfile, values: list[str], profile: TableProfile) -> str | None:
    """A test of two groups that need not spread alike, where both are values of one column."""
    for column in profile.columns:
        known = {str(value).casefold(): str(value) for value, _ in column.values or ()}
        said = [_value(known, value.strip()) for value in values]
        if len(said) == 2 and None not in said and column.data_type == "string":
            return f"welch t-test of {number.name} between {said[0]} and {said[1]}"
    return None


def _value(known: dict[str, str], word: str) -> str | None:
    """The value a word means; "men" and "women" may be written by their letters."""
    for spelling in (word, word.removesuffix("s"), *_SEXES.get(word.removesuffix("s"), ())):
        if spelling in known:
            return known[spelling]
    return None


def _named(profile: TableProfile, words: str) -> ColumnProfile | None:
    said = [word.stem for word in split_words(words) if word.normal not in {"the", "average", "mean", "our"}]
    matching = [column for column in profile.columns if [word.stem for word in split_words(column.name)] == said]
    return matching[0] if len(matching) == 1 else None


def _is_number(column: ColumnProfile) -> bool:
    return column.data_type in {"integer", "float"} and column.inferred_type == "measure"

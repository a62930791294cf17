"""Which columns the name of an asked value speaks of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.agents.analyst.statistic.asked import Asked

if TYPE_CHECKING:
    from averment.agents.analyst.statistic.values import Context

TRADE = re.compile(
    r"^(?:mean|avg|average|median|mode|std|stddev|stdev|dev|deviation|standard|var|variance|min|max|minimum|"
    r"maximum|range|sum|"
    r"total|count|number|num|of|the|value|values|skewness|skew|kurtosis|iqr|corr|correlation|coefficient|coeff|"
    r"coef|r|p|pvalue|"
    r"outlier|outliers|new|old|pre|post|before|after|without|with|cleaned|clean|original|normalized|transformed|"
    r"log|proportion|"
    r"percentage|percent|pct|share|ratio|result|test|in|for|and|by|per|a|an|is|year|filled|imputed|removed|"
    r"removal|processed|"
    r"preprocessing|unique|distinct|rate|overall|final|sd|pearson|spearman|answer|dataset|data|column|list|rows?|"
    r"entries|"
    r"score|feature|difference|diff|at|to|on|shapiro|wilk|statistic|group|all)$",
    re.IGNORECASE,
)


_FEATURE_HINTS = {
    "difference": r"\bdiff|\bspread|\bchange",
    "ratio": r"\bratio",
    "product": r"\bproduct",
    "change": r"\bchange|\breturn|growth",
}
"""Words in a value's name that mean a feature made in that way."""


_WORDS_OF_FEATURES = frozenset(
    """
    range ratio change difference diff return score rate sum total share percentage index size length price growth
    """.split()
)
"""Words of the trade that also name features a question makes."""


def bare_words(asked: Asked) -> list[str]:
    """The words of a name that are no words of the trade."""
    return [word for word in asked.words if not TRADE.match(word)]


def numbered(asked: Asked, context: Context) -> tuple[str, int, tuple[str, ...]] | None:
    """A number in a name beside a column of few whole numbers that holds it, and the words that say so."""
    columns = context.wording.columns
    for place, word in enumerate(asked.words):
        if not word.isdigit():
            continue
        for other in (place - 1, place + 1):
            beside = asked.words[other] if 0 <= other < len(asked.words) else ""
            named = columns.named(beside) if len(beside) > 2 else []
            column = columns.of(named[0]) if len(named) == 1 else None
            if column is None or column.data_type != "integer":
                continue
            # Of ``mean_age_30`` alone the number may be anything; a second column makes the first one a condition.
            rest = [w for w in bare_words(asked) if w not in (word, beside)]
            alone = re.match(r"mean|avg|average|median|std|max|min", asked.words[0], re.IGNORECASE) and not rest
            if not alone and any(str(value) == word for value, _ in column.values or ()):
                return column.name, int(word), (word, beside)
    return None


def named_in(asked: Asked, context: Context) -> list[str]:
    """Columns the name, the brackets or the description name; those the question speaks of first."""
    columns = context.wording.columns
    known = columns.named(context.wording.body, minimum=0.6)
    for step in context.steps:
        hint = _FEATURE_HINTS.get(str(step.get("how")))
        if (
            step["do"] == "derive"
            and step["name"] in columns.derived
            and hint
            and re.search(hint, " ".join(asked.words).lower())
        ):
            return [str(step["name"])]
    for name in columns.derived:
        said = {word.lower() for word in asked.words} & set(re.findall(r"[a-z]+", name.lower()))
        if said & _WORDS_OF_FEATURES and not columns.named(" ".join(bare_words(asked)), minimum=0.9):
            return [name]
    beside = numbered(asked, context)
    text = " ".join(word for word in bare_words(asked) if beside is None or word not in beside[2])
    for minimum in (0.8, 0.5):
        found = columns.named(text, minimum=minimum) if text else []
        said = [name for name in found if name in known]
        if said:
            return said
    glued = _glued(text, known)
    if glued:
        return glued
    squashed = re.sub(r"\W", "", text).lower()
    if len(squashed) > 2:
        close = [
            name
            for name in known
            if squashed in re.sub(r"\W", "", name).lower() or re.sub(r"\W", "", name).lower() in squashed
        ]
        close = [name for name in close if len(name) > 2]
        if len(close) == 1:
            return close
    quoted = columns.named(asked.inner) if not re.match(r"^\w+$", asked.inner) else []
    about = quoted or [name for name in columns.named(asked.about) if name in known and name not in ("value", "number")]
    return [name for name in about if re.search(rf"[\"'‘“]?{re.escape(name)}", asked.inner + asked.about)]


def _glued(text: str, known: list[str]) -> list[str]:
    """``XY`` is X and Y when both are columns of the question."""
    for left in known:
        for right in known:
            if left != right and text == left + right:
                return [left, right]
    return []


def filtered(context: Context) -> set[str]:
    """Columns that only choose rows."""
    return {str(step["column"]) for step in context.steps if step["do"] == "filter"}

"""Values a question asks for without naming them: its statistics, columns and groups make the names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.statistic.asked import Asked, name_words
from averment.agents.analyst.statistic.vocabulary import (
    FIGURES,
    GROUP_TESTS,
    MODELS,
    NORMALITY,
    STATISTICS,
    all_of,
    first_of,
)
from averment.agents.analyst.statistic.wording import Wording
from averment.language.numbers.comparisons import find_comparisons
from averment.language.tokens import STOP_WORDS, tokenise

if TYPE_CHECKING:
    from averment.agents.analyst.statistic.values import Context

MOST_GROUPS = 20

NEUTRAL = frozenset(
    """
    use using used apply calculate compute find determine identify perform check analyze analyse analysis
    investigate explore assess evaluate report please want need see test tests tested testing significant
    significance significantly level alpha value values column columns row rows table data dataset distribution
    distributed normal normally normality correlation correlated correlate correlations coefficient relationship
    linear association between method pearson spearman kendall p-value p outlier outliers detect detection
    z z-score zscore score scores iqr interquartile rule threshold missing null nulls empty duplicate duplicates
    model regression logistic predict prediction predicting train training split random state seed set size
    based features feature variable variables statistic statistics statistical number count counts percentage
    percent share proportion new create called named after before removing remove removed without filled filling
    fill standard rounded round decimal place places follow follows adhere group groups grouped mean average
    shapiro wilk kolmogorov smirnov anderson darling agostino whitney mann kruskal wallis anova chi square
    chi-square squared t-test welch levene paired samples sample population there exist any summary summarise
    summarize describe spread error absolute root accuracy
    """.split()
)
"""Words that say that something is computed, reported or tested, and by which of the known methods."""


CROWD = frozenset(
    """
    individuals individual passengers passenger people persons patients rows records entries observations data dataset
    whole entire total cars vehicles hotels countries articles players students days cases samples instances
    """.split()
)
"""Words for what the rows are: they choose none."""


def implied_values(wording: Wording, context: Context) -> list[Asked]:
    """The usual figures of a model, a test, a correlation; one value a statistic and column otherwise."""
    body = wording.body
    if context.model is not None and first_of(MODELS, body):
        figures = [name for name, _ in FIGURES if first_of(((name, dict(FIGURES)[name]),), body)]
        # A model of classes is judged by how many it gets right.
        usual = "accuracy" if context.model.get("kind") == "logistic" else "r2"
        return [_asked(name) for name in figures or [usual]]
    if first_of(GROUP_TESTS, body):
        return [_asked("test_statistic"), _asked("p_value")]
    if first_of(NORMALITY, body) or wording.says(r"normally distributed|normal distribution|normality"):
        return [_asked("normality_test_statistic"), _asked("p_value"), _asked("normal", "yes/no")]
    if wording.says(r"correlat|pearson|spearman|kendall"):
        return [_asked("correlation_coefficient"), _asked("p_value")]
    cleaned = any(step["do"] == "outliers" for step in context.steps)
    if wording.says("outlier") and not cleaned:
        return [_asked("outlier_count")] if context.rule else []
    if wording.says(r"\bmissing\b|\bnulls?\b") and not any(
        step["do"] in {"fill", "drop_missing"} for step in context.steps
    ):
        share = wording.says("percent|share|proportion")
        named = wording.columns.named(body)
        return [_asked(f"missing_{'percentage' if share else 'count'}_{name}") for name in named] or [
            _asked("missing_total")
        ]
    if wording.says(r"duplicate") and not any(step["do"] == "deduplicate" for step in context.steps):
        return [_asked("duplicate_count")]
    return _statistics(wording, context)


def _asked(name: str, inner: str = "") -> Asked:
    return Asked(name, inner, "", name_words(name))


def _statistics(wording: Wording, context: Context) -> list[Asked]:
    """Each statistic with the columns that follow it, or those of the whole question."""
    found: list[Asked] = []
    if re.match(r"\s*(?:who|which|where|when)\b", wording.body, re.IGNORECASE):
        return []  # A name is wanted, not a number.
    taken = [(one.start, one.end) for one in wording.columns.mentions(wording.body)]
    said = [one for one in all_of(STATISTICS, wording.body) if not any(s < one[2] and one[1] < e for s, e in taken)]
    said = [one for one in said if not any(a <= one[1] and one[2] <= b and (a, b) != one[1:] for _, a, b in said)]
    chosen = {str(step.get("column")) for step in context.steps if step["do"] == "filter"}
    named = [
        name for name in wording.columns.named(wording.body) if wording.columns.is_number(name) and name not in chosen
    ]
    if context.grouping is not None:
        named = [name for name in named if name != context.grouping.column]
    named = [name for name in named if name in wording.columns.derived] or named
    groups = context.grouping.values if context.grouping is not None else ()
    if context.grouping is not None and not 0 < len(groups) <= MOST_GROUPS:
        return []
    for statistic in dict.fromkeys(name for name, _, _ in said):
        for column in named:
            for group in groups or ("",):
                words = (statistic, column, *([group] if group else []))
                name = re.sub(r"\W+", "_", "_".join(words)).strip("_")
                found.append(Asked(name, "", "", words))
    return found


def uncovered(wording: Wording, context: Context, values: list[dict[str, Any]]) -> list[str]:
    """Words of a question without named answers that found no place at all."""
    compared = {str(group).casefold() for value in values for group in value.get("groups") or ()}
    return loose_words(wording.body, context, CROWD | compared)


def loose_words(text: str, context: Context, also: frozenset[str] = CROWD) -> list[str]:
    """Words of a text that are no column, value, number in use, statistic or neutral word."""
    spans = [(one.start, one.end) for one in context.wording.columns.mentions(text)]
    for table in (STATISTICS, NORMALITY, GROUP_TESTS, MODELS, FIGURES):
        spans += [(start, end) for _, start, end in all_of(table, text)]
    spans += [one.span for one in find_comparisons(text)]
    values = {str(step.get("value", "")).casefold() for step in context.steps}
    known = {word for value in values for word in re.findall(r"\w+", value)}
    if context.grouping is not None:
        known |= set(re.findall(r"\w+", context.grouping.column.casefold()))
    numbers = {str(step["value"]) for step in context.steps if isinstance(step.get("value"), int | float)}
    if first_of(GROUP_TESTS, text):
        known |= {"difference", "different", "differ", "differs", "male", "female"} & set(
            re.findall(r"\w+", text.casefold())
        )
    if "decimal" in text:
        known |= {"one", "two", "three", "four", "five", "six"}
    found: list[str] = []
    for token in tokenise(text):
        if token.kind == "symbol" or token.normal in STOP_WORDS or token.normal in NEUTRAL | known | also:
            continue
        if any(start <= token.start < end for start, end in spans):
            continue
        if token.kind == "number" and (
            token.normal in numbers or f"{float(token.normal)}" in numbers or context.rule or context.model
        ):
            continue
        if token.normal in {"0.05", "0.01", "0.1"}:
            continue
        found.append(token.text)
    return found

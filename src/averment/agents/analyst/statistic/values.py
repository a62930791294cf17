"""Each asked value as a computation: what its name and description say, filled in from the question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from averment.agents.analyst.statistic import counting, figures, labels
from averment.agents.analyst.statistic.asked import Asked, options
from averment.agents.analyst.statistic.conditions import group_of
from averment.agents.analyst.statistic.groups import Grouping, read_grouping
from averment.agents.analyst.statistic.models import model_part, read_model
from averment.agents.analyst.statistic.naming import named_in
from averment.agents.analyst.statistic.preparation import read_rule
from averment.agents.analyst.statistic.vocabulary import GROUP_TESTS, NORMALITY, STATISTICS, first_of
from averment.agents.analyst.statistic.wording import Wording

Value = dict[str, Any]
Step = dict[str, Any]


@dataclass
class Context:
    """What the whole question says, read once for all its values."""

    wording: Wording
    steps: list[Step]
    model: dict[str, Any] | None = None
    rule: dict[str, Any] | None = None
    grouping: Grouping | None = None

    @property
    def before(self) -> int:
        """The number of steps before the data lose or change rows or values."""
        for place, step in enumerate(self.steps):
            if step["do"] in {"outliers", "fill"} or (step["do"] == "derive" and step["name"] in step["columns"]):
                return place
        return 0

    @property
    def before_outliers(self) -> int:
        """The number of steps before outliers go."""
        places = [place for place, step in enumerate(self.steps) if step["do"] == "outliers"]
        return places[0] if places else len(self.steps)


def read_context(wording: Wording, steps: list[Step]) -> Context:
    """The context of a question's values."""
    model = read_model(wording)
    if model is not None:
        _take_over(steps, model)
    return Context(wording, steps, model, read_rule(wording), read_grouping(wording, steps))


def _take_over(steps: list[Step], model: dict[str, Any]) -> None:
    """Encoding and scaling of a model's features belong to the model, which learns them from its training rows."""
    inside = {*model["features"], model["target"]}
    steps[:] = [
        step
        for step in steps
        if not (step["do"] == "derive" and step["name"] in inside and step["how"] in {"codes", "zscore", "minmax"})
    ]


def resolve(asked: Asked, context: Context) -> Value | None:
    """The computation of one value, or None when it is not certain which."""
    words = " ".join(asked.words).lower()
    if options(asked):
        found = _verdict(asked, words, context)
        return found and {"name": asked.name, "after": len(context.steps), **found}
    for reader in (
        _model_figure,
        _p_value,
        _correlation,
        _outliers,
        _missing,
        _duplicates,
        labels.change,
        labels.extreme,
        _test_statistic,
        figures.statistic,
        counting.rows,
        labels.first_entry,
    ):
        found = reader(asked, words, context)
        if found is not None:
            return {"name": asked.name, "after": len(context.steps), **found}
    return None


def _model_figure(asked: Asked, words: str, context: Context) -> Value | None:
    model = context.model
    if model is None:
        return None
    part = model_part(asked, words, context.wording, model)
    return None if part is None else {"kind": "model", "model": model, "part": part}


def family(context: Context) -> str | None:
    """The test whose p-value or verdict a question means."""
    wording = context.wording
    if first_of(GROUP_TESTS, wording.body):
        return "groups"
    if first_of(NORMALITY, wording.body):
        return "normality"
    if wording.says(r"correlat|pearson|spearman|kendall|linear relationship|relationship between"):
        return "correlation"
    if wording.says(r"skew"):
        return "skewness"
    if wording.says(r"normal(?:ly|ity)?\b.{0,20}distribut|normality|adhere|follows? a normal"):
        return "normality"
    return None


def _p_value(asked: Asked, words: str, context: Context) -> Value | None:
    if not re.search(r"\bp ?val|\bp value|\bpval|\bp\b", words):
        return None
    return fact("p", asked, context)


def fact(name: str, asked: Asked, context: Context) -> Value | None:
    """The figure a verdict or an asked p-value speaks of."""
    wording = context.wording
    kind = family(context)
    if re.search(r"shapiro|normal", asked.described.lower()) and first_of(NORMALITY, wording.body):
        kind = "normality"
    elif re.search(r"correl", " ".join(asked.words).lower()):
        kind = "correlation"
    if name in {"skewness", "kurtosis"}:
        column = figures.column_for(asked, context, name)
        plain = "_plain" if wording.says("scipy") else ""
        return None if column is None else {"kind": "summary", "column": column, "statistic": name + plain}
    if name == "r" or (name == "p" and kind == "correlation"):
        pair = figures.pair_for(asked, context)
        if pair is None:
            return None
        return {"kind": "correlation", "x": pair[0], "y": pair[1], "method": figures.method(wording), "part": name,
                **group_of(asked, context)}  # fmt: skip
    if kind == "normality":
        column = figures.column_for(asked, context, "normal")
        test = first_of(NORMALITY, wording.body) or "shapiro"
        return None if column is None else {"kind": "normality", "column": column, "test": test, "part": "p"}
    if kind == "groups":
        return labels.group_test(context, "p")
    return None


def _correlation(asked: Asked, words: str, context: Context) -> Value | None:
    if not re.search(
        r"\bcorr|pearson|spearman|kendall|\br value\b|^r$|\bcoefficient\b(?! of (?:var|det))|\bcorrelation", words
    ):
        return None
    found = fact("r", asked, context)
    return found or labels.strongest(asked, context, "r")


def _verdict(asked: Asked, words: str, context: Context) -> Value | None:
    choices = options(asked)
    if not choices:
        return None
    from averment.agents.analyst.statistic.judging import judge

    return judge(asked, choices, context)


def _outliers(asked: Asked, words: str, context: Context) -> Value | None:
    if not re.search(r"outlier", words) or re.search(r"without|non|cleaned|after|remov", words):
        return None
    rule = context.rule
    column = figures.column_for(asked, context, "outlier")
    if rule is None or column is None:
        return None
    base: Value = {"kind": "outliers", "column": column, "rule": rule, "after": context.before_outliers}
    base |= group_of(asked, context)
    about = asked.described.lower()
    listed = re.search(r"\blist\b|\bvalues\b|strings", about)
    if re.search(r"percent|proportion|share", words):
        return {**base, "part": "share", "scale": 100 if "percent" in words else 1}
    statistic = first_of(STATISTICS, words)
    if statistic in {"mean", "median", "std", "min", "max"}:
        return {**base, "part": statistic}
    if re.search(r"count\b|number|total|num\b|how many", words) or (re.search(r"integer|number", about) and not listed):
        return {**base, "part": "count"}
    label = labels.label_column(asked, context, column)
    if label is not None:
        return {**base, "part": "labels", "label": label}
    if listed:
        return {**base, "part": "values", "decimals": context.wording.places(asked)}
    return None


def _missing(asked: Asked, words: str, context: Context) -> Value | None:
    if not re.search(r"missing|\bnull|\bnan\b", words):
        return None
    named = named_in(asked, context)
    base: Value = {"kind": "missing", "after": 0, **({"columns": named[:1]} if named else {})}
    text = context.wording.folded
    if asked.inner.startswith("{"):
        return {**base, "columns": None, "part": "table"}
    if not named and not re.search(r"column|total|dataset|overall", words):
        spoken = [
            n for _, s in context.wording.sentences_with("missing|null") for n in context.wording.columns.named(s)
        ]
        if len(set(spoken)) == 1:
            named = spoken[:1]
            base["columns"] = named
    if re.search(r"percent|proportion|share|ratio", words):
        return {**base, "part": "share", "scale": 100 if re.search("percent", words) else 1}
    if re.search(r"\bmax\b|most|highest", words) and not re.search(r"count|number", words):
        return {**base, "part": "most"}
    if re.search(r"column", words) and re.search(
        r"which column|names? of|strings?|list", asked.described.lower() + text
    ):
        return {**base, "part": "columns", "text_only": bool(re.search(r"object|string", words))}
    if re.search(r"row", words):
        return {**base, "part": "rows"}
    if named or re.search(r"total|count|number|values", words):
        if not named:
            mentioned = [
                n for _, s in context.wording.sentences_with("missing|null") for n in context.wording.columns.named(s)
            ]
            if len(set(mentioned)) == 1:
                base["columns"] = mentioned[:1]
        return {**base, "part": "count"}
    return None


def _duplicates(asked: Asked, words: str, context: Context) -> Value | None:
    if re.search(r"duplicate", words):
        return {"kind": "duplicates"}
    if re.search(r"clean entries|entries|rows after|remaining", words) and any(
        s["do"] == "deduplicate" for s in context.steps
    ):
        return {"kind": "rows"}
    return None


def _test_statistic(asked: Asked, words: str, context: Context) -> Value | None:
    if re.search(
        r"statistic|\bt value|\bf value|chi ?2|chi square|\bstat\b|test value|\bt stat|\bf$", words
    ) and family(context) in {
        "groups",
        "normality",
    }:
        if family(context) == "groups":
            return labels.group_test(context, "statistic")
        column = figures.column_for(asked, context, "normal")
        test = first_of(NORMALITY, context.wording.body) or "shapiro"
        return None if column is None else {"kind": "normality", "column": column, "test": test, "part": "statistic"}
    return None

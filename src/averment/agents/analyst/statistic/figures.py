"""Columns, pairs, groups and statistics for asked values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.statistic.asked import Asked
from averment.agents.analyst.statistic.conditions import flag, group_of
from averment.agents.analyst.statistic.naming import filtered, named_in
from averment.agents.analyst.statistic.vocabulary import STATISTICS, first_of
from averment.agents.analyst.statistic.wording import Wording

if TYPE_CHECKING:
    from averment.agents.analyst.statistic.values import Context

Value = dict[str, Any]


def column_for(asked: Asked, context: Context, topic: str) -> str | None:
    """The one column a value is about: its own name's, else that of the sentence that speaks of the topic."""
    own = named_in(asked, context)
    if topic in {"outlier", "normal"}:
        own = [name for name in own if _measure(name, context)]
    if own:
        return own[0]
    wording = context.wording
    cleaned = [step for step in context.steps if step["do"] == "outliers"]
    if len(cleaned) == 1 and topic != "normal":
        return str(cleaned[0]["column"])
    pattern = {
        "normal": r"normal|distribut|shapiro|adher", "outlier": r"outlier|z-?score|iqr",
    }.get(topic) or next((words for name, words in STATISTICS if name == topic), re.escape(topic))  # fmt: skip
    for _, sentence in wording.sentences_with(pattern):
        at = re.search(pattern, sentence, re.IGNORECASE)
        after = wording.columns.named(sentence[at.end() :]) if at else []
        here = [name for name in [*after, *wording.columns.named(sentence)] if _usable(name, context)]
        here = [name for name in here if name not in filtered(context)] or here
        here = [name for name in here if _measure(name, context)] or here
        if topic == "outlier":
            here = [name for name in wording.columns.named(sentence) if _measure(name, context)]
        if context.grouping is not None:
            here = [name for name in here if name != context.grouping.column] or here
        new = _new_feature(sentence, context)
        if new is not None and not (set(here) & set(wording.columns.derived)):
            return new
        if here:
            return here[0]
    everywhere = [name for name in wording.columns.named(wording.body) if _usable(name, context)]
    if len(everywhere) == 1:
        return everywhere[0]
    weak = [name for name in wording.columns.named(wording.body, minimum=0.6) if _usable(name, context)]
    return weak[0] if len(weak) == 1 else None


def _new_feature(sentence: str, context: Context) -> str | None:
    derived = context.wording.columns.derived
    if derived and re.search(
        r"\b(?:this|the|that) (?:new|newly|resulting|created)|new feature|new column|\bit\b", sentence, re.IGNORECASE
    ):
        return derived[-1]
    return None


def _usable(name: str, context: Context) -> bool:
    column = context.wording.columns.of(name)
    if column is None or any(step.get("name") == name for step in context.steps):
        return True
    digits = column.sample_values and all(re.fullmatch(r"[-+]?[\d.,]+|TIE", value) for value in column.sample_values)
    return column.data_type in ("integer", "float") or bool(digits) or column.type == "BOOLEAN"


def _measure(name: str, context: Context) -> bool:
    column = context.wording.columns.of(name)
    return column is None or (_usable(name, context) and column.inferred_type != "id")


def method(wording: Wording) -> str:
    """Which correlation; Pearson unless another is named."""
    return "spearman" if wording.says("spearman") else "kendall" if wording.says("kendall") else "pearson"


def pair_for(asked: Asked, context: Context) -> tuple[str, str] | None:
    """The two columns of a correlation."""
    wording = context.wording
    own = [name for name in named_in(asked, context) if _usable(name, context)]
    if len(own) >= 2:
        return own[0], own[1]
    candidates: list[list[str]] = []
    for _, sentence in wording.sentences_with(r"(?:correlat|relationship|pearson|spearman|kendall).*\bbetween\b"):
        at = re.search(r"(?:correlat|relationship|pearson|spearman|kendall).*?\bbetween\b", sentence, re.IGNORECASE)
        behind = re.split(r"\bfor\b|\bwhere\b|\busing\b", sentence[at.end() if at else 0 :])[0]
        for least in (0.8, 0.6):
            names = [name for name in wording.columns.named(behind, minimum=least) if _measure(name, context)]
            if len(names) == 2 and (not own or own[0] in names):
                return names[0], names[1]
    for _, sentence in wording.sentences_with(r"correlat|relationship|pearson|spearman|kendall"):
        here = [name for name in wording.columns.named(sentence, minimum=0.6) if _usable(name, context)]
        new = _new_feature(sentence, context)
        if new is not None and new not in here:
            here = [new, *here]
        candidates.append([name for name in here if name not in filtered(context)])
    strong = [
        wording.columns.named(s) for _, s in wording.sentences_with(r"correlat|relationship|pearson|spearman|kendall")
    ]
    strong = [[n for n in names if _usable(n, context) and n not in filtered(context)] for names in strong]
    for names in [*strong, *candidates]:
        if len(names) == 2 and (not own or own[0] in names):
            return names[0], names[1]
    for names in candidates:
        if len(names) > 2 and len(own) == 1:
            new = [name for name in names if name in wording.columns.derived and name != own[0]]
            return (own[0], new[0]) if len(new) == 1 else None
    merged = list(dict.fromkeys(name for names in candidates for name in names))
    return (merged[0], merged[1]) if len(merged) == 2 else None


def statistic(asked: Asked, words: str, context: Context) -> Value | None:
    """Mean, median, deviation and the like of a column."""
    own = {word for name in context.wording.columns.derived for word in re.findall(r"[a-z]+", name.lower())}
    lean = " ".join(word for word in words.split() if word not in own)
    found = first_of(STATISTICS, lean) or first_of(STATISTICS, words)
    found = found or first_of(STATISTICS, asked.inner.replace("_", " "))
    if found == "distinct" or (found is None and re.search(r"unique|distinct", asked.described.lower())):
        named = named_in(asked, context) or context.wording.columns.named(context.wording.body)
        return (
            {"kind": "summary", "column": named[0], "statistic": "distinct", **group_of(asked, context)}
            if named
            else None
        )
    if found == "mode" and (named := named_in(asked, context) or context.wording.columns.named(context.wording.body)):
        return {"kind": "summary", "column": named[0], "statistic": "mode", **group_of(asked, context)}
    percentile = re.search(r"(\d+)(?: ?th)? ?percentile|percentile ?(\d+)", words)
    if percentile:
        column = column_for(asked, context, "percentile")
        at = float(percentile[1] or percentile[2]) / 100
        return (
            None
            if column is None
            else {
                "kind": "summary",
                "column": column,
                "statistic": "quantile",
                "quantile": at,
                **group_of(asked, context),
            }
        )
    if found is None or _is_text(asked):
        return None
    if found == "sum" and re.search(r"number of|count|integer", asked.described.lower()):
        return None
    wording = context.wording
    where = group_of(asked, context)
    best = re.search(r"\b(highest|max|maximum|largest|lowest|min|minimum|smallest)\b", words)
    if best is None and context.grouping is not None:
        spoken = next(words for name, words in STATISTICS if name == found)
        best = re.search(rf"\b(highest|maximum|largest|lowest|minimum|smallest)\s+(?:{spoken})\b", wording.folded)
        words = f"{words} {best[1]}" if best else words
    if best and context.grouping is not None and not where:
        inner = first_of(tuple(one for one in STATISTICS if one[0] not in {"max", "min", "range"}), words)
        measured = column_for(asked, context, inner or "mean")
        if inner and measured:
            how = "min" if best[1] in {"lowest", "min", "minimum", "smallest"} else "max"
            base: Value = {"kind": "extreme", "by": context.grouping.column, "column": measured}
            return {**base, "statistic": exact(inner, wording), "how": how, "show": "value"}
    column = column_for(asked, context, found)
    if column is None:
        return None
    if not where and _is_flag(column, context):
        column = next((name for name in _spoken(context, found) if not _is_flag(name, context)), column)
    if not where:
        flagged = flag(asked, context, column)
        if flagged is None:
            return None
        where = flagged
    if where and where["where"][0]["column"] == column:
        column = next((name for name in _spoken(context, found) if name != column), column)
    if context.grouping is not None and not where and asked.inner.startswith("{"):
        prefix = re.match(r"\{\s*['\"]?([a-z]+_)", asked.inner)
        table: Value = {"kind": "group_table", "by": context.grouping.column, "column": column}
        shown: Value = {"decimals": wording.places(asked), "prefix": prefix[1] if prefix else ""}
        return {**table, "statistic": exact(found, wording), **shown}
    value: Value = {"kind": "summary", "column": column, "statistic": exact(found, wording), **where}
    cleaning = {step["do"] for step in context.steps} & {"outliers", "deduplicate", "drop_missing", "fill", "derive"}
    if re.search(r"\b(?:after|post|cleaned|without|removed|imputed|filled)\b", words) and not cleaning:
        return None
    if re.search(r"\b(?:pre|before|original|initial|raw)\b", words) and not re.search(r"preprocess", words):
        value["after"] = context.before
    return value


def _is_flag(name: str, context: Context) -> bool:
    column = context.wording.columns.of(name)
    values = {str(value).casefold() for value, _ in (column.values or ())} if column is not None else set[str]()
    return bool(values) and values <= {"0", "1", "true", "false"}


def _spoken(context: Context, topic: str) -> list[str]:
    """The number columns of the sentences that speak of a statistic."""
    pattern = next((words for name, words in STATISTICS if name == topic), topic)
    found = [name for _, s in context.wording.sentences_with(pattern) for name in context.wording.columns.named(s)]
    return [name for name in dict.fromkeys(found) if _usable(name, context)]


def _is_text(asked: Asked) -> bool:
    """Whether the description wants words, not a number."""
    about = asked.described.lower()
    return bool(re.search(r"\bstrings?\b|\bname of\b|\bdate\b", about)) and not re.search(
        r"float|decimal|rounded|integer", about
    )


def exact(name: str, wording: Wording) -> str:
    """The statistic with the convention the text names."""
    if name in {"std", "variance"} and (
        wording.says(r"population (?:standard|variance|std)|ddof\s?=\s?0|np\.std|numpy'?s? std")
        and not wording.says(r"not the population|sample standard deviation formula, not")
    ):
        return f"{name}_population"
    if name in {"skewness", "kurtosis"} and wording.says(r"scipy"):
        return f"{name}_plain"
    return name

"""Values that are names: which group or row has the most, which rows stand apart; and tests between groups."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.statistic.asked import Asked
from averment.agents.analyst.statistic.vocabulary import GROUP_TESTS, STATISTICS, first_of

if TYPE_CHECKING:
    from averment.agents.analyst.statistic.values import Context

Value = dict[str, Any]
_MOST = re.compile(
    r"\b(highest|higher|lower|strongest|largest|most|maximum|greatest|biggest|top|best|max|lowest|smallest|least|minimum|"
    r"fewest|min|worst)\b",
    re.IGNORECASE,
)
_LOW = re.compile(r"lowest|\blower|smallest|least|minimum|fewest|\bmin|worst", re.IGNORECASE)


def label_column(asked: Asked, context: Context, measured: str) -> str | None:
    """The column whose values a list of names is made of."""
    columns = context.wording.columns
    words = [word for word in asked.words if not re.match(r"outliers?|list|of|the|with", word, re.IGNORECASE)]
    singular = " ".join(re.sub(r"ies$", "y", re.sub(r"(?<=[^s])s$", "", word)) for word in words)
    found = [name for name in columns.named(f"{' '.join(words)} {singular}", minimum=0.6) if name != measured]
    return found[0] if found else None


def extreme(asked: Asked, words: str, context: Context) -> Value | None:
    """The group or row in which a figure is highest or lowest."""
    wording = context.wording
    text = asked.described.lower()
    grouped = context.grouping is not None and context.grouping.column in wording.columns.named(" ".join(asked.words))
    which = next((s[: one.start()] for _, s in wording.sentences_with(_MOST.pattern) if (one := _MOST.search(s))), "")
    grouped = grouped or bool(set(wording.columns.named(" ".join(asked.words))) & set(wording.columns.named(which)))
    if (
        not (grouped and len(asked.words) <= 2)
        and not (
            grouped and re.search(r"with (?:the )?(?:highest|lowest|most|max|min)|^(?:best|highest|lowest) \w+$", words)
        )
        and not re.search(r"string|name|date|\byear\b|country|month|hour|identif", text)
    ) or re.search(r"rounded|float|decimal", text):
        return None
    superlative = next((s for _, s in wording.sentences_with(_MOST.pattern)), None)
    if superlative is None:
        return None
    if re.search(r"correlat", superlative, re.IGNORECASE):
        return strongest(asked, context, "column")
    found = _MOST.search(superlative)
    if found is None:
        return None
    own = _MOST.search(words)
    how = "min" if _LOW.search(own[0] if own else found[0]) else "max"
    behind = superlative[found.end() :]
    chosen = {step["column"] for step in context.steps if step["do"] == "filter"}
    measured = [name for name in wording.columns.named(behind, minimum=0.6) if wording.columns.is_number(name)]
    measured = [name for name in measured if name not in chosen]
    for step in context.steps:
        if step["do"] == "derive" and len(step["columns"]) == 2 and set(step["columns"]) <= set(measured):
            measured = [str(step["name"])]
    label = label_column(asked, context, measured[0] if measured else "")
    if label is None:
        label = _date_part(asked, context)
    if not measured and label is not None:
        return _by_group(label, how, superlative, context)
    if label is None and measured == [] and _is_wide(context) and not re.search("missing|null", text):
        return {"kind": "extreme_column", "how": how, "columns": _wide(context)}
    if label is None or not measured:
        return None
    statistic = first_of(tuple(one for one in STATISTICS if one[0] not in {"max", "min", "range"}), behind[:40])
    base: Value = {"kind": "extreme", "column": measured[0], "how": how}
    if statistic is None:
        return {**base, "show": label}
    for place, _ in wording.sentences_with(r"at least \d+ (?:\w+ )?\w+s in the dataset"):
        wording.read.add(place)
    least = re.search(
        r"at least (\d+) (?:\w+ )?(?:rows|entries|records|hotels|observations|samples|data points|\w+s) in the dataset",
        wording.folded,
    )
    return {
        **base,
        "by": label,
        "statistic": statistic,
        "show": "label",
        **({"at_least": int(least[1])} if least else {}),
    }


def strongest(asked: Asked, context: Context, part: str) -> Value | None:
    """The column that correlates most with the one column the question names, or how much it does."""
    from averment.agents.analyst.statistic.figures import method

    wording = context.wording
    sentences = wording.sentences_with(r"correlat")
    most = next(
        (s for _, s in sentences if re.search(r"strongest|highest|most|largest|lowest|weakest", s, re.IGNORECASE)), None
    )
    named = list(dict.fromkeys(name for _, sentence in sentences for name in wording.columns.named(sentence)))
    if most is None or len(named) != 1 or re.search(r"\btwo\b|\bpair", most, re.IGNORECASE):
        return None
    others = [
        c.name
        for c in wording.columns.profile.columns
        if c.data_type in ("integer", "float") and c.inferred_type != "id"
    ]
    how = "negative" if "negative" in most else "positive" if re.search(r"positive|highest", most) else "absolute"
    columns = [name for name in others if name != named[0]]
    return {"kind": "strongest", "x": named[0], "columns": columns, "method": method(wording), "how": how, "part": part}


def _by_group(label: str, how: str, superlative: str, context: Context) -> Value | None:
    """The group with the most rows, or with the highest of the statistic the question takes for each group."""
    from averment.agents.analyst.statistic.figures import column_for

    wording = context.wording
    if context.grouping is not None and context.grouping.column == label and wording.says(r"\baverage|\bmean|\bmedian"):
        statistic = "median" if wording.says(r"\bmedian") else "mean"
        column = column_for(Asked("", "", "", ()), context, statistic)
        if column is not None and column != label:
            return {
                "kind": "extreme",
                "by": label,
                "column": column,
                "statistic": statistic,
                "how": how,
                "show": "label",
            }
        return None
    if re.search(
        r"\b(?:most|fewest|least)\b|(?:highest|largest|lowest|maximum|minimum) (?:number|count|frequency)",
        superlative,
        re.IGNORECASE,
    ):
        return {"kind": "extreme", "by": label, "column": None, "statistic": "count", "how": how, "show": "label"}
    return None


def _date_part(asked: Asked, context: Context) -> str | None:
    """A part of a date as the label, when the table has one column of dates."""
    found = re.search(r"\b(month|year|hour|quarter)\b", asked.described.lower())
    dates = [c.name for c in context.wording.columns.profile.columns if c.data_type in ("date", "datetime")]
    if found is None or len(dates) != 1 or "yyyy" in asked.described.lower():
        return None
    if found[1] == "month" and re.search(r"string|name", asked.described.lower()):
        return None
    if not any(step.get("name") == found[1] for step in context.steps):
        context.steps.append({"do": "derive", "name": found[1], "how": found[1], "columns": dates})
    return found[1]


def _wide(context: Context) -> list[str]:
    columns = context.wording.columns.profile.columns
    return [c.name for c in columns if c.inferred_type == "measure" and c.data_type in ("integer", "float")]


def _is_wide(context: Context) -> bool:
    """Whether the columns themselves are the things compared: one row chosen by an equality, many measures."""
    chosen = [step for step in context.steps if step["do"] == "filter" and step["is"] == "="]
    return len(chosen) == 1 and len(_wide(context)) >= 3


def change(asked: Asked, words: str, context: Context) -> Value | None:
    """Percent change against the row before, where another column is highest or lowest."""
    from averment.agents.analyst.statistic.naming import named_in

    wording = context.wording
    if not re.search(r"change", words) or not wording.says(r"previous (?:day|row|date)|day before"):
        return None
    superlative = next((s for _, s in wording.sentences_with(_MOST.pattern)), "")
    found = _MOST.search(superlative)
    named = (
        [n for n in wording.columns.named(superlative[found.end() :]) if wording.columns.is_number(n)] if found else []
    )
    followed = [name for name in named_in(asked, context) if name not in named[:1]]
    if found is None or not named or not followed:
        return None
    how = "min" if _LOW.search(found[0]) else "max"
    return {"kind": "change_at_extreme", "column": named[0], "followed": followed[0], "how": how}


def first_entry(asked: Asked, words: str, context: Context) -> Value | None:
    """The first value of a column."""
    if not re.search(r"first (?:entry|value|row|element)", asked.described.lower()):
        return None
    from averment.agents.analyst.statistic.naming import named_in

    named = named_in(asked, context)
    return {"kind": "first", "column": named[0]} if named else None


def group_test(context: Context, part: str) -> Value | None:
    """A test between groups: a number column split by another, or two number columns."""
    wording = context.wording
    test = first_of(GROUP_TESTS, wording.body)
    if test is None:
        return None
    named = wording.columns.named(wording.body)
    classes = [name for name in named if _is_class(name, context)]
    figures = [name for name in named if wording.columns.is_number(name) and name not in classes]
    if test == "chi2":
        texts = classes[:2]
        return {"kind": "test", "test": test, "x": texts[0], "y": texts[1], "part": part} if len(texts) == 2 else None
    if test == "paired":
        return {"kind": "test", "test": test, "columns": figures[:2], "part": part} if len(figures) == 2 else None
    if not classes and context.grouping is None and (said := _said_groups(context)) is not None:
        measured = [name for name in figures if name != said[0]]
        found: Value = {"kind": "test", "test": test, "by": said[0], "groups": said[1], "part": part}
        return {**found, "column": measured[0]} if measured else None
    if not classes and len(figures) == 2:
        return {"kind": "test", "test": test, "columns": figures, "part": part}
    by = context.grouping.column if context.grouping is not None else classes[0] if classes else None
    measured = [name for name in figures if name != by]
    if by is None or not measured:
        return None
    groups = _two_groups(by, context) if test in {"t", "welch", "mannwhitney", "wilcoxon"} else None
    return {
        "kind": "test",
        "test": test,
        "by": by,
        "column": measured[0],
        "part": part,
        **({"groups": groups} if groups else {}),
    }


def _is_class(name: str, context: Context) -> bool:
    column = context.wording.columns.of(name)
    if column is None:
        return any(step.get("name") == name and step.get("how") == "bins" for step in context.steps)
    return column.data_type == "string" or column.type == "BOOLEAN" or column.cardinality <= 5


def _said_groups(context: Context) -> tuple[str, list[Any]] | None:
    """A column two of whose values the question names."""
    for column in context.wording.columns.profile.columns:
        if column.data_type == "string" and column.values:
            two = _two_groups(column.name, context)
            if two is not None and all(isinstance(value, str) and len(value) > 1 for value in two):
                return column.name, two
    return None


def _two_groups(by: str, context: Context) -> list[Any] | None:
    column = context.wording.columns.of(by)
    if column is None or column.values is None:
        return None
    if column.type == "BOOLEAN":
        return [True, False]
    said: list[tuple[int, Any]] = []
    for value, _ in column.values:
        found = re.search(rf"(?<!\w){re.escape(str(value))}s?(?!\w)", context.wording.body, re.IGNORECASE)
        if found:
            said.append((found.start(), value))
    return [value for _, value in sorted(said, key=lambda one: one[0])] if len(said) == 2 else None

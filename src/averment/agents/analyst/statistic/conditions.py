"""Which rows a value is about, by what its name says: a group, a range, a value, a yes or no."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.statistic.asked import Asked
from averment.agents.analyst.statistic.groups import Grouping, value_in
from averment.agents.analyst.statistic.naming import TRADE, filtered, named_in, numbered

if TYPE_CHECKING:
    from averment.agents.analyst.statistic.values import Context

Value = dict[str, Any]


def group_of(asked: Asked, context: Context) -> Value:
    """The condition that a value's name puts on the rows, when the question splits them."""
    ranged = _range_of(asked, context) or _nth_common(asked, context) or _numbered(asked, context)
    ranged = ranged or _year_of(asked, context)
    if ranged:
        return ranged
    words = [word for word in asked.words if not TRADE.match(word)]
    named = set(re.findall(r"[a-z0-9]+", " ".join(named_in(asked, context)).lower()))
    left = [word for word in words if word.lower() not in named]
    group = context.grouping
    if group is not None:
        value = value_in(left, group) or value_in(words, group)
        if value is None and context.wording.columns.of(group.column) is None:
            value = value_in(list(asked.words), group)
        if value is not None:
            return {"where": [{"column": group.column, "is": "=", "value": value}]}
    return _value_of_any(left, context)


def _numbered(asked: Asked, context: Context) -> Value:
    """``corr_4_cylinders``: a number beside a column that has it among its few values."""
    found = numbered(asked, context)
    return {"where": [{"column": found[0], "is": "=", "value": found[1]}]} if found else {}


def _year_of(asked: Asked, context: Context) -> Value:
    """``mean_2015`` is of that year when the question names several and the table has one column of dates or years."""
    years = [word for word in asked.words if re.fullmatch(r"(?:19|20)\d\d", word)]
    said = set(re.findall(r"(?<![\w_])(?:19|20)\d\d(?![\w_])", context.wording.body))
    named = " ".join(named_in(asked, context))
    if len(years) != 1 or years[0] not in said or years[0] in named or len(said) < 2 or filtered(context):
        return {}
    columns = context.wording.columns.profile.columns
    dates = [c.name for c in columns if c.data_type in ("date", "datetime")]
    plain = [c.name for c in columns if c.name.casefold() == "year" and c.data_type == "integer"]
    if len(plain) == 1:
        return {"where": [{"column": plain[0], "is": "=", "value": int(years[0])}]}
    if len(dates) != 1:
        return {}
    ends = [(">=", f"{years[0]}-01-01"), ("<", f"{int(years[0]) + 1}-01-01")]
    return {"where": [{"column": dates[0], "is": sign, "value": end} for sign, end in ends]}


def _value_of_any(left: list[str], context: Context) -> Value:
    """Left-over words of a name that are a value of some column of texts: ``mean_charges_male``."""
    done = {str(step.get("value", "")).casefold() for step in context.steps if step["do"] == "filter"}
    for column in context.wording.columns.profile.columns:
        if column.data_type != "string" or not column.values or not left:
            continue
        group = Grouping(column.name, tuple(str(value) for value, _ in column.values))
        value = value_in(left, group)
        if value is not None and value.casefold() not in done:
            return {"where": [{"column": column.name, "is": "=", "value": value}]}
    return {}


_RANGE = re.compile(
    r"\b(?:(?P<below>below|under|less(?: than)?|lt)|(?P<above>above|over|more(?: than)?|greater(?: than)?|gt)|"
    r"between|from)\s"
    r"(?P<low>\d+(?:\.\d+)?)(?:\s(?:and|to)\s(?P<high>\d+(?:\.\d+)?))?"
)


def _range_of(asked: Asked, context: Context) -> Value:
    """``below3`` in a name is a range of the column of which the question says "below 3"."""
    found = _RANGE.search(" ".join(asked.words).lower())
    if found is None:
        return {}
    pattern = rf"{(found['below'] or found['above'] or 'between').split()[0]}\s+{re.escape(found['low'])}"
    for _, sentence in context.wording.sentences_with(pattern):
        named = [name for name in context.wording.columns.named(sentence) if context.wording.columns.is_number(name)]
        if not named:
            continue
        low, high = float(found["low"]), found["high"]
        if found["below"]:
            return {"where": [{"column": named[0], "is": "<", "value": low}]}
        if found["above"]:
            return {"where": [{"column": named[0], "is": ">", "value": low}]}
        if high:
            ends = [(">=", low), ("<=", float(high))]
            return {"where": [{"column": named[0], "is": sign, "value": end} for sign, end in ends]}
    return {}


def _nth_common(asked: Asked, context: Context) -> Value:
    """``mean2`` is of the second of the most frequent values, when the question asks for those."""
    number = next((word for word in reversed(asked.words) if word.isdigit()), None)
    for place, _ in context.wording.sentences_with(r"most (?:common|frequent)|occur most"):
        context.wording.read.add(place)
    for _, sentence in context.wording.sentences_with(r"most (?:common|frequent)"):
        found = re.search(r"most (?:common|frequent)[^.]*", sentence)
        named = context.wording.columns.named(found[0]) if found else []
        if number and named:
            return {"where": [{"column": named[-1], "is": "nth_common", "value": int(number) - 1}]}
    return {}


def flag(asked: Asked, context: Context, column: str) -> Value | None:
    """A second column in a name: of yes and no it chooses rows (``fare_survived``, ``fare_not_survived``)."""
    chosen = filtered(context)
    for name in named_in(asked, context):
        other = context.wording.columns.of(name)
        if name == column or other is None or name in chosen:
            continue
        values = {str(value).casefold() for value, _ in other.values or ()}
        if values and values <= {"0", "1", "true", "false"}:
            no = re.search(r"\b(?:not|non|no|un)\b", " ".join(asked.words).lower()) is not None
            value: Any = (not no) if other.type == "BOOLEAN" else 0 if no else 1
            return {"where": [{"column": name, "is": "=", "value": value}]}
        if (
            name.casefold() in " ".join(asked.words).casefold().replace(" ", "_")
            and column.casefold() not in name.casefold()
        ):
            return None
    return {}

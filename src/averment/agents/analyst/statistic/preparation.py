"""What a question does to its rows before it computes: duplicates, missing values, outliers, scaling, filters."""

from __future__ import annotations

import re
from typing import Any

from averment.agents.analyst.statistic.derivations import read_derivations, scaling
from averment.agents.analyst.statistic.filters import read_filters
from averment.agents.analyst.statistic.wording import Wording

Step = dict[str, Any]
_NOT = re.compile(r"\b(?:do not|don't|without|no need to|never|not)\b[^.]{0,25}$", re.IGNORECASE)


def read_rule(wording: Wording, near: str | None = None) -> dict[str, Any] | None:
    """How outliers are told: by the quartiles when a formula or the rule says so, else by z-score."""
    text = (near or wording.body).lower()
    quartiles = re.search(r"\biqr\b|interquartile|quartile range|inter-quartile", text)
    z = re.search(r"z-?\s?scores?|standard deviations?", text)
    if quartiles and (
        not z or re.search(r"q1\s*-|below the first quartile|1\.5\s*(?:x|\*|times)?\s*(?:the )?iqr", text)
    ):
        found = re.search(r"(\d+(?:\.\d+)?)\s*(?:x|\*|×|times)?\s*(?:the\s+)?(?:iqr|interquartile)", text)
        return {"method": "iqr", "threshold": float(found[1]) if found else 1.5}
    if z and re.search(r"z-?\s?score|outlier", text):
        found = re.search(
            r"(?:threshold|cutoff|greater|exceed\w*|above|more|larger|outside|beyond|>)\D{0,40}?(\d+(?:\.\d+)?)"
            r"|(\d+(?:\.\d+)?) standard deviations|(three|two) standard deviations|±\s*(\d+(?:\.\d+)?)",
            text[z.start() - 60 if z.start() > 60 else 0 :],
        )
        said = next((group for group in found.groups() if group), None) if found else None
        value = {"three": 3.0, "two": 2.0}.get(said or "") or (float(said) if said else 3.0)
        above = bool(re.search(r"z-?score (?:is )?above \d", text)) and not re.search(
            r"absolute|less than|lesser|-\s?\d|outside", text
        )
        return {"method": "zscore", "threshold": value, "ddof": 0, "above_only": above}
    if "outlier" in text:
        return None
    return None


def read_steps(wording: Wording) -> list[Step]:
    """All preparation, in the order of the text; what is derived comes before what is done to it."""
    found: list[tuple[int, Step]] = []
    derived = read_derivations(wording)
    for place, sentence in enumerate(wording.sentences):
        for step in _sentence_steps(place, sentence, wording, derived):
            twin = next((other for _, other in found if _same(step, other)), None)
            if twin is None:
                found.append((place, step))
            elif step["do"] == "outliers" and step["how"] != "remove":
                twin["how"] = step["how"]
    filters = read_filters(wording)
    plain = [step for _, step in found]
    first = [step for step in plain if step["do"] in {"deduplicate", "drop_missing", "fill"}]
    rest = [step for step in plain if step not in first]
    return [*(step for step in filters), *first, *derived, *rest]


def _same(one: Step, other: Step) -> bool:
    keys = ("do", "columns", "column", "name")
    return all(one.get(key) == other.get(key) for key in keys)


def _sentence_steps(place: int, sentence: str, wording: Wording, derived: list[Step]) -> list[Step]:
    low = sentence.lower()
    steps: list[Step] = []
    if re.search(r"(?:remov|drop|eliminat|delet)\w*\s+(?:any |all |the )*duplicate", low):
        wording.read.add(place)
        steps.append({"do": "deduplicate"})
    steps += _missing(place, sentence, low, wording)
    steps += _outliers(place, sentence, low, wording)
    steps += _scalings(place, sentence, low, wording, derived)
    return steps


def _missing(place: int, sentence: str, low: str, wording: Wording) -> list[Step]:
    if not re.search(r"missing|\bnull|\bnan\b|\bna\b|empty", low):
        return []
    at = re.search(r"missing|\bnull|\bnan\b|\bna\b|empty", low)
    named = wording.columns.named(sentence[at.start() :] if at else sentence) or wording.columns.named(sentence)
    filled = re.search(r"(?:fill|replac|imput|handl|substitut)\w*", low)
    how = re.search(r"\b(mean|average|median|mode|most frequent|zero|0)\b", low[filled.start() :]) if filled else None
    if filled and how:
        wording.read.add(place)
        word = {"average": "mean", "most frequent": "mode", "zero": "value", "0": "value"}.get(how[1], how[1])
        step: Step = {"do": "fill", "how": word, "columns": named or None}
        return [{**step, "value": 0} if word == "value" else step]
    removed = re.search(r"\b(?:remov|drop|exclud|delet|discard|filter)\w*", low)
    if removed and not _NOT.search(low[: removed.start()]):
        wording.read.add(place)
        if named:
            return [{"do": "drop_missing", "columns": named}]
        if re.search(r"entire|all rows|any row|rows with|entirely|from the dataset", low):
            return [{"do": "drop_missing", "columns": None}]
    return []


def _outliers(place: int, sentence: str, low: str, wording: Wording) -> list[Step]:
    gone = re.search(
        r"(?:remov|exclud|drop|eliminat|without|clean)\w*[^.]{0,60}outlier|outliers?[^.]{0,60}(?:remov|exclud|"
        r"drop|eliminat)\w*",
        low,
    )
    if gone is None and "outlier" in wording.folded:
        gone = re.search(r"\b(?:remov|exclud|drop|eliminat)\w*\s+(?:them|these|those|it)\b", low)
    swapped = re.search(r"replac\w*[^.]{0,80}(?:outlier|standard deviations|z-?score)[^.]{0,80}\b(mean|median)\b", low)
    if swapped is None and "outlier" in low:
        swapped = re.search(r"replac\w*\s+(?:them|these|those|it)\b[^.]*?\b(mean|median)\b", low)
    if not gone and not swapped:
        return []
    if gone and re.search(r"(?:do not|don't|not|no need to) (?:\w+ ){0,2}(?:remov|exclud|drop|clean)", low):
        return []
    rule = read_rule(wording)
    named = [name for name in wording.columns.named(sentence) if _measured(name, wording)]
    if not named:
        named = _outlier_columns(wording)
    if rule is None or not named:
        return []
    if (
        len(named) > 1
        and re.search(r"\bcolumns\b|\bboth\b|\band\b", low)
        and gone
        and "outlier" in low
        and named_apart(named, low)
    ):
        return []
    wording.read.add(place)
    how = swapped[1] if swapped else "remove"
    return [{"do": "outliers", "column": named[0], "columns": [named[0]], "how": how, "rule": rule}]


def named_apart(named: list[str], low: str) -> bool:
    """Whether the outliers of several columns are meant: they stand joined, before anything else is asked."""
    joined = r"[\"'”’]?\s*(?:,|and)\s*(?:the\s+)?[\"'“‘]?"
    return re.search(joined.join(re.escape(name.lower()) for name in named[:2]), low) is not None


def _outlier_columns(wording: Wording) -> list[str]:
    """The columns of the sentences that speak of outliers."""
    for _, sentence in wording.sentences_with(r"outlier|z-?score|iqr"):
        named = [name for name in wording.columns.named(sentence) if _measured(name, wording)]
        if named:
            return named
    return []


def _measured(name: str, wording: Wording) -> bool:
    """Whether a column is a measurement, not a key or a year."""
    column = wording.columns.of(name)
    return column is None or (wording.columns.is_number(name) and column.inferred_type != "id")


def _mapping(wording: Wording, name: str) -> Step:
    """``male = 1 and female = 0``: the codes the text gives the values."""
    column = wording.columns.of(name)
    found: dict[str, float] = {}
    for value, _ in (column.values or ()) if column is not None else ():
        said = re.search(
            rf"(?<!\w){re.escape(str(value))}[\"'”’]?\s*(?:=|:|to|as|->)\s*(\d+)\b", wording.body, re.IGNORECASE
        )
        if said:
            found[str(value)] = float(said[1])
    return {"mapping": found} if column is not None and len(found) == len(column.values or ()) > 0 else {}


def _scalings(place: int, sentence: str, low: str, wording: Wording, derived: list[Step]) -> list[Step]:
    if not re.search(
        r"transform|normali[sz]|standardi[sz]|scal(?:e|ing)|\blog\b|logarithm|encod|convert|binary|\bmap\b", low
    ):
        return []
    if re.search(r"outlier|predict|train|adher", low):
        return []
    if re.search(r"normally|normal distribution|normality", low) and not re.search(r"\blog\b|logarithm", low):
        return []
    known = {str(step["name"]) for step in derived}
    steps: list[Step] = []
    clauses = re.split(r",?\s+(?:and|then)\s+(?=(?:normali|standardi|log|transform|encod|scal))", sentence)
    for clause in clauses:
        for name in wording.columns.named(clause):
            if name in known:
                continue
            made = scaling(clause, name, wording) if wording.columns.is_number(name) else None
            coded = re.search(r"binary|encod|\bmap\b|numerical|numeric values|convert", clause.lower())
            if made is None and coded and not wording.columns.is_number(name):
                made = {"how": "codes", "columns": [name], **_mapping(wording, name)}
            if made is not None:
                wording.read.add(place)
                steps.append({**made, "do": "derive", "name": name})
    return steps

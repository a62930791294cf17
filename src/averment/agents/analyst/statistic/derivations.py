"""New columns a question defines: sums, ratios, differences, logs, scaled values, bins, parts of dates, lengths."""

from __future__ import annotations

import re
from typing import Any

from averment.agents.analyst.statistic.columns import Columns
from averment.agents.analyst.statistic.wording import Wording

Step = dict[str, Any]

_QUOTE = r"[\"“”'‘’`]"
_NEW = re.compile(
    rf"(?:feature|column|variable|attribute|field|metric)s?\s*,?\s*(?:called|named|labell?ed|"
    rf"titled)?\s*:?\s*{_QUOTE}(?P<a>[^\"“”'‘’`]+){_QUOTE}"
    rf"|(?:creat|generat|add|comput|deriv|calculat|engineer)\w*\s+(?:an?\s+|"
    rf"the\s+)?(?:new\s+)?{_QUOTE}(?P<b>[^\"“”'‘’`]+){_QUOTE}"
    r"|(?:called|named)\s+(?P<c>[A-Za-z_]\w*)",
    re.IGNORECASE,
)
_UNNAMED = re.compile(r"\bnew (?:feature|column|variable)\b", re.IGNORECASE)
_PARTS = {
    "hour": "hour", "month": "month", "year": "year", "quarter": "quarter", "minute": "minute", "week": "week",
    "day of the week": "weekday_name", "day of week": "weekday_name", "weekday": "weekday_name", "day": "day",
}  # fmt: skip
UNNAMED = "new feature"


def read_derivations(wording: Wording) -> list[Step]:
    """The steps that make the question's new columns, in its order; the columns know them afterwards."""
    steps: list[Step] = []
    columns = wording.columns
    for place, sentence in enumerate(wording.sentences):
        name = _new_name(sentence, columns)
        if name is None and re.search(r"categori[sz]e|classify|\bbin\b|divide|group", sentence, re.IGNORECASE):
            step = _bins(sentence, columns, [])
            name = f"{step['columns'][0]} category" if step is not None else None
        if name is None or any(step["name"] == name for step in steps):
            continue
        candidates = [(place, sentence)]
        candidates += [
            (at, other)
            for at, other in enumerate(wording.sentences)
            if at != place and (name in other or at == place + 1 or (name == UNNAMED and _UNNAMED.search(other)))
        ]
        if re.search(r"categor|group|bin|percentile", sentence, re.IGNORECASE):
            candidates.append((place, " ".join(wording.sentences[place : place + 4])))
        for at, text in candidates:
            step = express(text.replace(name, " "), columns, wording, columns.named(sentence.replace(name, " ")))
            if step is not None:
                steps.append({**step, "do": "derive", "name": name})
                wording.read |= {place, at}
                columns.add(name)
                break
    return steps or read_lengths(wording)


_LENGTH = re.compile(
    r"(?P<words>\w+(?: \w+)?) length\s*\(|length of (?:the )?(?:\w+ )?[\"'“‘]?(?P<of>\w+)|"
    r"[\"'“‘](?P<column>\w+)[\"'”’] length",
    re.IGNORECASE,
)


def read_lengths(wording: Wording) -> list[Step]:
    """Lengths of texts a question speaks of without naming a feature."""
    for place, sentence in enumerate(wording.sentences):
        found = _LENGTH.search(sentence)
        texts = wording.columns.named(sentence[found.start() :]) if found else []
        texts = [name for name in texts if not wording.columns.is_number(name) and name not in wording.columns.derived]
        if found and texts:
            words = (found["words"] or "").split()
            name = f"{words[-1]} length" if words else f"{texts[0]} length"
            wording.columns.add(name)
            wording.read.add(place)
            solid = bool(re.search(r"non-?space|without spaces|excluding spaces", sentence, re.IGNORECASE))
            return [{"do": "derive", "name": name, "how": "length", "columns": texts[:1], "solid": solid}]
    return []


def _new_name(sentence: str, columns: Columns) -> str | None:
    if not re.search(r"creat|generat|add|new|engineer|deriv|categor|comput", sentence, re.IGNORECASE):
        return None
    for found in _NEW.finditer(sentence):
        name = next(group for group in found.groups() if group)
        if columns.of(name) is None:
            return name.strip()
    if _UNNAMED.search(sentence) and re.search(r"creat|generat|add|engineer", sentence, re.IGNORECASE):
        return UNNAMED
    return None


def express(text: str, columns: Columns, wording: Wording, near: list[str]) -> Step | None:
    """The computation a sentence describes over the columns it names, or over those named nearby."""
    return _bins(text, columns, near) or _arithmetic(text, columns, wording) or _one_column(text, columns, wording)


def _nudge(wording: Wording) -> float:
    plus = re.search(r"\bby\s+\(?[\"'“‘]?[\w ]+[\"'”’]?\s*\+\s*(\d+(?:\.\d+)?(?:e-\d+)?)\)?", wording.body)
    if plus:
        return float(plus[1])
    found = re.search(r"small constant\D{0,12}(\d+(?:\.\d+)?e-\d+|0?\.\d+)", wording.folded)
    return float(found[1]) if found else 0.0


def _arithmetic(text: str, columns: Columns, wording: Wording) -> Step | None:
    low = text.lower()
    named = [name for name in columns.named(text) if columns.is_number(name)]
    formula = _formula(text, columns)
    if formula is not None:
        return formula
    if len(named) < 2:
        return None
    pair = named[:2]
    if re.search(r"subtract\w*", low) and " from " in low:
        at = low.index(" from ", re.search(r"subtract", low).start())  # pyright: ignore[reportOptionalMemberAccess] - found above
        left, right = columns.named(text[at:]), columns.named(text[:at])
        if left and right:
            return {"how": "difference", "columns": [left[0], right[-1]]}
    if re.search(r"\bdivid|\bratio\b|\bper\b|quotient", low):
        by = re.search(r"\bby\b(?! (?:summing|dividing|creating|calculating|taking|computing))", low)
        order = _around(text, by.start(), columns) if by and re.search(r"divid", low) else None
        return {"how": "ratio", "columns": order or pair, "nudge": _nudge(wording)}
    if re.search(r"multipl|product|times", low):
        return {"how": "product", "columns": named}
    if re.search(r"differen|minus|subtract|\bchange\b|spread|\brange\b", low):
        return {"how": "difference", "columns": pair}
    if re.search(r"\bsum|\badd(?:ing|ed|ition)\b|\bplus\b|\btotal|combin", low):
        return {"how": "sum", "columns": named}
    if re.search(r"average|\bmean\b", low):
        return {"how": "mean", "columns": named}
    return None


def _around(text: str, at: int, columns: Columns) -> list[str] | None:
    left, right = columns.named(text[:at]), columns.named(text[at:])
    return [left[-1], right[0]] if left and right else None


def _formula(text: str, columns: Columns) -> Step | None:
    """``= A + B + 1`` and its kin, with one kind of sign."""
    if re.search(r"divid|multipl|subtract|summing|adding", text, re.IGNORECASE) and "=" not in text:
        return None
    found = re.search(r"=\s*(?P<right>[^=<>]+)$|[(（](?P<inner>[^()]*[-+*/][^()]*)[)）]", text)
    if found is None:
        return None
    right = re.sub(r"\([^)]*\)", "", found["right"] or found["inner"] or "").strip(" .,")
    pieces = re.split(r"\s([-+*/])\s", right)
    if len(pieces) < 3 or len(set(pieces[1::2])) != 1:
        return None
    named: list[str] = []
    plus = 0.0
    for piece in pieces[::2]:
        if re.fullmatch(r"\s*\d+(\.\d+)?\s*", piece):
            plus += float(piece)
        elif len(found_names := columns.named(piece)) == 1:
            named += found_names
        else:
            return None
    how = {"+": "sum", "-": "difference", "*": "product", "/": "ratio"}[pieces[1]]
    if not named or (how in {"difference", "ratio"} and len(named) != 2) or (plus and how != "sum"):
        return None
    return {"how": how, "columns": named, **({"plus": plus} if plus else {})}


def _one_column(text: str, columns: Columns, wording: Wording) -> Step | None:
    low = text.lower()
    named = columns.named(text)
    if re.search(r"\blength\b|number of characters|character count", low) and named:
        return {"how": "length", "columns": named[:1], "solid": "non-space" in low}
    if "word count" in low or "number of words" in low:
        return {"how": "words", "columns": named[:1]} if named else None
    figures = [name for name in named if columns.is_number(name)]
    if re.search(r"percent(?:age)? change|pct_?change|\breturns?\b|growth rate", low) and len(figures) == 1:
        times = 100 if re.search(r"\*\s*100|percentage change|in percent", wording.text.lower()) else 1
        return {"how": "change", "columns": figures, "times": times}
    for words, part in _PARTS.items():
        if re.search(
            rf"\b(?:extract\w*|represent\w*|contain\w*|get\w*|deriv\w*|from|based on|with|"
            rf"of)\s+(?:only\s+)?(?:the\s+)?{words}s?\b|"
            rf"\b{words}s?\s+(?:from|of the|in which|when|component|part)\b",
            low,
        ):
            source = [name for name in named if not columns.is_number(name)] or _moments(columns)
            if source:
                return {"how": part, "columns": source[:1]}
    if len(named) == 1:
        return scaling(text, named[0], wording)
    return None


def _moments(columns: Columns) -> list[str]:
    """The columns of time, those typed as such first, then those whose texts look like a clock."""
    typed = [column.name for column in columns.profile.columns if column.data_type in ("date", "datetime")]
    clock = [c.name for c in columns.profile.columns if c.sample_values and re.search(r"\d:\d\d", c.sample_values[0])]
    return typed or clock


def scaling(text: str, column: str, wording: Wording) -> Step | None:
    """A transformation of one column in its own place."""
    low = text.lower()
    if re.search(r"\blog(?:arithm\w*|-transform\w*|10|1p)?\b|logarithmic", low):
        base = 10 if re.search(r"base[- ]?(?:10|ten)|log10|base of 10", wording.folded) else 2 if "base 2" in low else 0
        return {"how": "log", "columns": [column], "base": base, "nudge": _nudge(wording)}
    if re.search(r"square root", low):
        return {"how": "sqrt", "columns": [column]}
    if re.search(r"z-?\s?score|standardi[sz]|standard scal|standardscaler", low):
        return {"how": "zscore", "columns": [column]}
    if re.search(r"normali[sz]|min-?\s?max|feature scaling|\brescal|\bscal(?:e|ing)\b", low):
        z = wording.says(r"z-score normali|standardscaler|standard scaler")
        return {"how": "zscore" if z else "minmax", "columns": [column]}
    return None


_LABEL = rf"{_QUOTE}?(?P<label>[A-Za-z][\w /&-]*?){_QUOTE}?"
_RANGE = re.compile(
    _LABEL + r"\s*[(:]\s*(?:ages?\s*)?(?:(?P<low>\d+(?:[.:]\d+)?)\s*(?:-|–|to|and)\s*(?P<high>\d+(?:[.:]\d+)?)"
    r"|(?P<over>\d+(?:\.\d+)?)\s*(?:years?(?: old)?\s*)?(?:and|or) (?:above|over|older|more|up)|"
    r"(?P<plus>\d+(?:\.\d+)?)\s*\+"
    r"|(?:above|over|>=?|greater than(?: or equal to)?|more than)\s*(?P<above>\d+(?:\.\d+)?)"
    r"|(?:below|under|<=?|less than(?: or equal to)?)\s*(?P<below>\d+(?:\.\d+)?))",
    re.IGNORECASE,
)


def _bins(text: str, columns: Columns, near: list[str]) -> Step | None:
    """``'Child' (0-12), 'Adult' (13 and above)``: whole-number ranges reach up to the next one."""
    if not re.search(r"categor|group|bin|classif|divid", text, re.IGNORECASE):
        return None
    bins: list[Step] = []
    clock = False
    for found in _RANGE.finditer(text):
        label = re.sub(r"^.*\binto\s+|^.*\band\s+|^(?:and|or|as)\s+", "", found["label"].strip()).strip()
        if found["low"]:
            clock = clock or ":" in found["low"]
            low, high = (float(found[end].split(":")[0]) for end in ("low", "high"))
            bins.append({"label": label, "low": low, "high": high + 1, "whole": True})
        elif found["over"] or found["plus"]:
            bins.append({"label": label, "low": float(found["over"] or found["plus"]), "high": None})
        elif found["above"]:
            inclusive = ">=" in found[0] or "equal" in found[0]
            bins.append({"label": label, "low": float(found["above"]), "low_in": inclusive, "high": None})
        else:
            inclusive = "<=" in found[0] or "equal" in found[0]
            bins.append({"label": label, "low": None, "high": float(found["below"]), "high_in": inclusive})
    if len(bins) < 2 or "percentile" in text.lower():
        return _quantile_bins(text, columns)
    first = text.index(str(bins[0]["label"]))
    named = columns.named(text[:first]) or columns.named(text) or near[:1]
    if not named:
        return None
    return {"how": "bins", "columns": [named[-1]], "bins": bins, "clock": clock}


_PERCENTILE = re.compile(
    rf"{_QUOTE}(?P<label>[A-Za-z][\w ]*){_QUOTE}(?P<said>\s*(?:is|are|if|:|for|when|\(|"
    rf"represents?)[^;]*?)(?P<a>\d+)(?:st|nd|rd|th)?(?:\s*(?:to|and|-)\s*(?:the\s*)?(?P<b>\d+)"
    r"(?:st|nd|rd|th)?)?\s*(?:percentile|quantile)s?",
    re.IGNORECASE,
)


def _quantile_bins(text: str, columns: Columns) -> Step | None:
    """``'High' … above the 75th percentile``: edges are quantiles of the column itself."""
    bins: list[Step] = []
    for found in _PERCENTILE.finditer(text):
        low, said = float(found["a"]) / 100, found["said"].lower()
        label = found["label"].strip()
        if found["b"]:
            bins.append({"label": label, "low": low, "high": float(found["b"]) / 100, "high_in": True, "last": True})
        elif re.search(r"greater|above|over|more|>|higher", said):
            bins.append({"label": label, "low": low, "low_in": bool(re.search("equal|>=", said)), "high": None})
        elif re.search(r"less|below|under|<|lower", said):
            bins.append({"label": label, "low": None, "high": low, "high_in": bool(re.search("equal|<=", said))})
    labels = {str(one["label"]) for one in bins}
    named = [name for name in columns.named(text) if name not in labels and columns.is_number(name)]
    if len(bins) < 2 or len(labels) != len(bins) or not named:
        return None
    # Between two named ends come last, so that what the ends include is theirs.
    ordered = sorted(bins, key=lambda one: bool(one.pop("last", False)))
    return {"how": "bins", "columns": [named[-1]], "bins": ordered, "quantiles": True}

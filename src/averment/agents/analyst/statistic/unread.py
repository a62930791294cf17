"""What a reading left unread: words that would change the computation and found no place in it.

A text that names its answers may say much that changes nothing: which library to use, how to round, what a word means.
So not every word must find a place, but every word that asks for other rows, other columns or another method must.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.statistic.asked import options
from averment.agents.analyst.statistic.filters import ABOUT_RESULTS
from averment.language.numbers.comparisons import find_comparisons

if TYPE_CHECKING:
    from averment.agents.analyst.statistic.values import Context
    from averment.agents.analyst.statistic.wording import Wording

_QUOTED = re.compile(
    r"(?<!\w)[\"“'‘`](?P<said>[^\"”'’`\n]{1,60})[\"”'’`](?!\w)(?P<behind>\s*(?:column|feature|variable)?)"
)
_NEVER: tuple[tuple[str, str], ...] = (
    ("cluster", r"cluster|k-?means"),
    ("components", r"\bpca\b|principal component"),
    ("forecast", r"forecast|arima|time series model|seasonal decomp"),
    ("moving average", r"moving average|rolling (?:mean|average|window)|exponential smoothing"),
    ("cross-validation", r"cross[- ]validat|k-fold|grid search"),
    (
        "polynomial",
        r"polynomial|interaction term|neural network|gradient boost|xgboost|\bsvm\b|support vector|naive bayes",
    ),
    ("same as", r"\bsame \w+(?: \w+)? as\b"),
    ("interpolation", r"interpolat|\bknn imput|forward fill|backward fill"),
    ("confidence interval", r"confidence interval"),
    ("top", r"\b(?:top|bottom|first|last) (?:\d+|two|three|five|ten)\b(?! columns)"),
    ("log return", r"log returns?"),
    ("merge", r"\bmerge (?:the|both|two)\b|\bjoin (?:the|both|two)\b"),
    ("weighted", r"\bweighted (?:mean|average)\b"),
    ("winsorize", r"winsor|\btrimm?(?:ed|ing) mean"),
    ("dummy", r"\bresampl|\bbootstrap"),
)
_TAKEN_BY: tuple[tuple[str, str, str], ...] = (
    (
        "new feature",
        r"\b(?:creat|generat|add|engineer|construct)\w*\b[^.]{0,40}\bnew (?:feature|column|variable)",
        "derive",
    ),
    ("fill", r"\b(?:fill|imput|replac)\w*\b[^.]{0,40}\b(?:missing|null|nan)\b", "fill"),
    ("remove outliers", r"\bremov\w*[^.]{0,30}\boutliers|\bafter (?:removing|excluding)[^.]{0,20}outlier", "outliers"),
    ("log", r"\blog(?:arithm\w*)?[- ]transform|logarithm", "derive"),
    ("normalise", r"\b(?:normali[sz]e|standardi[sz]e|min-?max scal|rescal)\w*\b(?! distribut)", "derive"),
)
_ROWS = re.compile(
    r"\bonly (?:consider|include|use|select|look at|take|keep|count)\b|\b(?:exclud|filter|restrict|"
    r"limit)\w*\b[^.]{0,60}\b(?:rows|records|"
    r"entries|data|where|with|whose|countries|values|to)\b|\bwhose\b",
    re.IGNORECASE,
)
_NO_ROWS = re.compile(
    r"missing|null|nan\b|\bna\b|empty|outlier|decimal|numeric|do not (?:exclude|filter|apply|include)|"
    r"without exclud|any transformations|"
    r"no filter|method|library|not (?:exclude|filter)",
    re.IGNORECASE,
)
_TOOLS = re.compile(
    r"(?:pandas|numpy|scipy|sklearn|statistics|matplotlib|seaborn|python|pearson|spearman|kendall|nan|none|true|"
    r"false|yes|no|object|"
    r"mean|median|std|skew|stats?|linear|corr|dropna|fillna|nonlinear|float|int|string|iqr|z-?score|shapiro|"
    r"[\w.]+\(\)|[\w.]*\.[\w.]+)$",
    re.IGNORECASE,
)


def unread_words(wording: Wording, context: Context, values: list[dict[str, Any]]) -> list[str]:
    """The operative words that no step and no value took up."""
    found = [name for name, pattern in _NEVER if wording.says(pattern)]
    done = {step["do"] for step in context.steps}
    related = all(value["kind"] == "correlation" for value in values)
    if context.model is None:
        # Scaling by a straight line changes no correlation.
        found += [
            name
            for name, pattern, step in _TAKEN_BY
            if wording.says(pattern) and step not in done and not (name == "normalise" and related)
        ]
    found += _quoted(wording, context, values)
    for place, sentence in enumerate(wording.sentences):
        if place not in wording.read and _ROWS.search(sentence) and not _NO_ROWS.search(sentence):
            found.append(_ROWS.search(sentence)[0])  # pyright: ignore[reportOptionalSubscript] - just found
    return found + _names(wording, context) + _compared(wording, context, values) + _unused(wording, context, values)


def _unused(wording: Wording, context: Context, values: list[dict[str, Any]]) -> list[str]:
    """Columns of yes and no that the text speaks of and nothing uses: they were meant to choose rows."""
    used = json.dumps([context.steps, values], default=str)
    spoken = wording.columns.named(wording.body)
    flags = [name for name in spoken if (column := wording.columns.of(name)) is not None and column.type == "BOOLEAN"]
    return [name for name in flags if json.dumps(name) not in used]


_NAME = re.compile(r"\b(?:in|from|for)\s+(?:the\s+)?(?P<said>(?:[A-Z][a-z]+\s?){1,3})")
_KNOWN_NAMES = re.compile(
    r"python|pandas|numpy|scipy|sklearn|scikit|pearson|spearman|kendall|shapiro|kolmogorov|anderson|student|fisher|welch|mann|"
    r"kruskal|min|max|linear|random|decision|logistic|root|mean|standard|median|interquartile|true|false|male|female|bonferroni",
    re.IGNORECASE,
)


def _names(wording: Wording, context: Context) -> list[str]:
    """Places and names behind a preposition that chose no rows."""
    placed = " ".join(str(step.get("value", "")) for step in context.steps).casefold()
    groups = " ".join(context.grouping.values).casefold() if context.grouping is not None else ""
    spoken = " ".join(asked.described for asked in wording.asked).casefold()
    found: list[str] = []
    for sentence in wording.sentences:
        taken = wording.columns.mentions(sentence, minimum=0.6)
        for one in _NAME.finditer(sentence):
            said = one["said"].strip()
            free = not any(m.start < one.end() and one.start("said") < m.end for m in taken)
            known = said.casefold() in placed + groups + spoken or _KNOWN_NAMES.match(said)
            if free and not known and not re.match(r"\s*\(", sentence[one.end() :]):
                found.append(said)
    return found


def _compared(wording: Wording, context: Context, values: list[dict[str, Any]]) -> list[str]:
    """Comparisons that choose rows and became no condition."""
    found: list[str] = []
    known = {float(step["value"]) for step in context.steps if isinstance(step.get("value"), int | float)}
    known |= {float(value["at_least"]) for value in values if value.get("at_least")}
    edges = {
        float(edge) for s in context.steps for one in s.get("bins", []) for edge in (one["low"], one["high"]) if edge
    }
    for place, sentence in enumerate(wording.sentences):
        if ABOUT_RESULTS.search(sentence) or (place in wording.read and (edges or not known)):
            continue
        for one in find_comparisons(sentence):
            if {float(bound) for bound in (one.low, one.high) if bound is not None} & (known | edges):
                continue
            ahead = sentence[max(0, one.span[0] - 40) : one.span[0]]
            if one.op != "eq" and re.search(
                r"\b(?:when|where|with|whose|who|that|have|has|aged|over|under|older|is|are|of|for)\b", ahead
            ):
                found.append(one.text)
    return found


def _quoted(wording: Wording, context: Context, values: list[dict[str, Any]]) -> list[str]:
    """Quoted names that are no column, no value, no verdict and no tool."""
    spoken = {option.casefold() for asked in wording.asked for option in options(asked)}
    spoken |= {name.casefold() for asked in wording.asked for name in asked.others}
    spoken |= {str(one["label"]).casefold() for step in context.steps for one in step.get("bins", [])}
    spoken |= {str(step.get("value", "")).casefold() for step in context.steps}
    spoken |= {str(one.get("value", "")).casefold() for value in values for one in value.get("where", [])}
    if context.grouping is not None:
        spoken |= {value.casefold() for value in context.grouping.values}
    found: list[str] = []
    for one in _QUOTED.finditer(wording.body):
        said = one["said"].strip(" .,:")
        known = wording.columns.named(said, minimum=0.8)
        if one["behind"].strip() == "column" and not known:
            found.append(said)
            continue
        if re.sub(r"[\W_]+", "", said).casefold() in {re.sub(r"[\W_]+", "", one) for one in spoken}:
            continue
        if known or not re.search(r"[A-Za-z]", said) or said.casefold() in spoken or _TOOLS.fullmatch(said):
            continue
        ahead = wording.body[max(0, one.start() - 25) : one.start()].rstrip(" =:")
        named = wording.columns.mentions(ahead)
        if (
            one["behind"].strip()
            or (named and named[-1].end == len(ahead))
            or re.search(r"\b(?:in|for|from|of|to|is|are|equals?)$", ahead)
            or _is_value(said, wording)
            or re.match(r"\s*(?:category|class|group|type)\b", wording.body[one.end() :])
        ):
            found.append(said)
    return found


def _is_value(said: str, wording: Wording) -> bool:
    """Whether it is a value of some column, so that it was meant to choose rows."""
    low = said.casefold()
    return any(
        str(value).casefold() == low for column in wording.columns.profile.columns for value, _ in column.values or ()
    )

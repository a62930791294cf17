"""Judging: an asked word as rules over the figures the question names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.statistic.asked import Asked
from averment.agents.analyst.statistic.verdicts import Rule, is_negative, stated_rules

if TYPE_CHECKING:
    from averment.agents.analyst.statistic.values import Context

Value = dict[str, Any]


def judge(asked: Asked, choices: list[str], context: Context) -> Value | None:
    """The verdict as rules: those the text states, else the usual ones at its significance level."""
    from averment.agents.analyst.statistic.values import fact, family

    wording = context.wording
    if context.model is not None and re.search(r"significan|relationship", asked.described.lower()):
        return _model_verdict(asked, choices, context)
    kind = family(context)
    texts = [wording.body, asked.about]
    skewed = wording.says(r"skew") and not wording.says(r"shapiro|kolmogorov|normaltest|anderson|p-value")
    default = "skewness" if skewed else "r" if kind == "correlation" and not wording.says("p-?value") else None
    if kind is None:
        return _outliers_exist(asked, choices, context)
    rules, left = stated_rules(choices, texts, default)
    otherwise: str | None = left[0] if len(left) == 1 and rules else None
    if not rules or len(left) > 1:
        rules, otherwise = _signed(choices, rules, left, wording.folded) or _usual(choices, kind, wording.folded)
    if not rules:
        return None
    facts: dict[str, Value] = {}
    for name in {str(condition["fact"]) for rule in rules for condition in rule["when"]}:
        found = fact(name, asked, context)
        if found is None:
            return None
        facts[name] = {"name": name, "after": len(context.steps), **found}
    ordered = sorted(rules, key=lambda rule: -len(rule["when"]))
    return {"kind": "verdict", "facts": facts, "rules": ordered, "otherwise": otherwise}


def level(text: str) -> float:
    """The significance level of a text; 0.05 when it names none."""
    found = re.search(r"(?:alpha|significance level|level of significance)[^0-9.]{0,30}(0?\.\d+)", text)
    return float(found[1]) if found else 0.05


def _signed(choices: list[str], rules: list[Rule], left: list[str], text: str) -> tuple[list[Rule], str | None] | None:
    """Positive and negative by the sign of r, below the level."""
    plus = [choice for choice in choices if "positive" in choice.lower()]
    minus = [choice for choice in choices if "negative" in choice.lower()]
    if len(plus) != 1 or len(minus) != 1:
        return None
    sure: list[Rule] = (
        [{"fact": "p", "is": "<", "value": level(text)}] if "p-value" in text or "significan" in text else []
    )
    stated = [rule for rule in rules if rule["say"] not in (*plus, *minus)]
    both: list[Rule] = [
        {"when": [*sure, {"fact": "r", "is": ">", "value": 0.0}], "say": plus[0]},
        {"when": [*sure, {"fact": "r", "is": "<", "value": 0.0}], "say": minus[0]},
    ]
    rest = [choice for choice in left if choice not in (*plus, *minus)]
    return [*stated, *both], rest[0] if rest else None


def _usual(choices: list[str], kind: str, text: str) -> tuple[list[Rule], str | None]:
    """Significant below the level, normal above it."""
    no = [choice for choice in choices if is_negative(choice)]
    yes = [choice for choice in choices if choice not in no]
    if len(choices) != 2 or len(no) != 1 or len(yes) != 1:
        return [], None
    sign = ">" if kind == "normality" else "<"
    return [{"when": [{"fact": "p", "is": sign, "value": level(text)}], "say": yes[0]}], no[0]


def _model_verdict(asked: Asked, choices: list[str], context: Context) -> Value | None:
    """Whether a coefficient's p-value is below the level."""
    model = context.model
    if model is None:
        return None
    words = " ".join(word for word in asked.words if word.lower() not in {"relationship", "significance"})
    named = [name for name in context.wording.columns.named(words, minimum=0.5) if name in model["features"]]
    rules, otherwise = _usual(choices, "model", context.wording.folded)
    if len(named) != 1 or not rules:
        return None
    p = {"name": "p", "after": len(context.steps), "kind": "model", "model": model, "part": f"p:{named[0]}"}
    return {"kind": "verdict", "facts": {"p": p}, "rules": rules, "otherwise": otherwise}


def _outliers_exist(asked: Asked, choices: list[str], context: Context) -> Value | None:
    """Whether there are outliers at all."""
    from averment.agents.analyst.statistic.figures import column_for

    column = column_for(asked, context, "outlier")
    no = [choice for choice in choices if is_negative(choice)]
    if (
        context.rule is None
        or column is None
        or "outlier" not in asked.described.lower()
        or len(choices) != 2
        or len(no) != 1
    ):
        return None
    yes = next(choice for choice in choices if choice not in no)
    count = {
        "name": "n",
        "kind": "outliers",
        "column": column,
        "rule": context.rule,
        "part": "count",
        "after": context.before_outliers,
    }
    return {
        "kind": "verdict",
        "facts": {"n": count},
        "rules": [{"when": [{"fact": "n", "is": ">", "value": 0.0}], "say": yes}],
        "otherwise": no[0],
    }

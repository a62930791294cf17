"""Verdicts in words: which of the words a question offers holds, by the limits it states."""

from __future__ import annotations

import re
from typing import Any

Rule = dict[str, Any]

_NUMBER = r"(?P<{0}>[-+]?\s?\d*\.?\d+)"
_FACT = re.compile(
    r"(?P<abs>absolute (?:value of )?(?:the )?|\|)?\s*(?P<fact>p[-_ ]?values?|\br\b|"
    r"(?:pearson )?(?:correlation )?coefficient|"
    r"correlation|skewness(?: value)?|skew|kurtosis|value of r)\|?",
    re.IGNORECASE,
)
_COMPARE: tuple[tuple[str, str], ...] = (
    (">=", r"(?:is |are |being )?(?:greater than or equal to|equal to or greater than|at least|>=|≥|no less than)"),
    ("<=", r"(?:is |are |being )?(?:less than or equal to|equal to or less than|at most|<=|≤)"),
    (">", r"(?:is |are |being |has |value )*(?:greater than|more than|larger than|above|exceeds|>|higher than)"),
    ("<", r"(?:is |are |being |has |value )*(?:less than|below|smaller than|lower than|<)"),
)


def fact_name(words: str) -> str:
    """p, r, skewness or kurtosis."""
    low = words.lower()
    return (
        "p"
        if low.startswith("p") and "pearson" not in low
        else "skewness"
        if "skew" in low
        else "kurtosis"
        if "kurt" in low
        else "r"
    )


def conditions(text: str, default: str | None = None) -> list[Rule]:
    """The comparisons with numbers a clause makes, each with the figure it is about."""
    found: list[Rule] = []
    between = re.search(
        rf"between\s+{_NUMBER.format('low')}\s+(?:to|and)\s+{_NUMBER.format('high')}", text, re.IGNORECASE
    )
    chained = re.search(
        rf"{_NUMBER.format('low')}\s*(?P<a><=?|≤)\s*\|?(?P<f>\w+)\|?\s*(?P<b><=?|≤)\s*{_NUMBER.format('high')}", text
    )
    facts = [(one.start(), one.end(), fact_name(one["fact"]), bool(one["abs"])) for one in _FACT.finditer(text)]
    if chained:
        fact, absolute = "r", "|" in chained[0]
        low_sign = ">=" if chained["a"] in ("<=", "≤") else ">"
        return [
            {"fact": fact, "absolute": absolute, "is": low_sign, "value": _float(chained["low"])},
            {
                "fact": fact,
                "absolute": absolute,
                "is": chained["b"].replace("≤", "<="),
                "value": _float(chained["high"]),
            },
        ]
    if between and (facts or default):
        fact = facts[0][2] if facts else default
        return [
            {"fact": fact, "absolute": False, "is": ">=", "value": _float(between["low"])},
            {"fact": fact, "absolute": False, "is": "<=", "value": _float(between["high"])},
        ]
    taken: list[tuple[int, int]] = []
    for sign, pattern in _COMPARE:
        for one in re.finditer(rf"{pattern}\s*(?:to )?{_NUMBER.format('n')}", text, re.IGNORECASE):
            if any(one.start() < end and start < one.end() for start, end in taken):
                continue
            taken.append(one.span())
            before = [fact for fact in facts if fact[0] <= one.start()]
            fact, absolute = (before[-1][2], before[-1][3]) if before else (default, False)
            if fact is not None:
                found.append(
                    {"fact": fact, "absolute": absolute, "is": sign, "value": _float(one["n"]), "at": one.start()}
                )
    return [
        {key: value for key, value in one.items() if key != "at"} for one in sorted(found, key=lambda one: one["at"])
    ]


def _float(text: str) -> float:
    return float(text.replace(" ", ""))


def _clauses(text: str) -> list[str]:
    parts = re.split(r"(?<=[.;])\s+|\n+|(?:,|;)?\s+(?:otherwise|else)\b,?", text)
    return [part for part in parts if part.strip()]


def _mentions(option: str, text: str) -> int:
    """Where an option stands in a text, or -1; an option that holds another as its end must stand whole."""
    parts = re.findall(r"\w+", option.replace("_", " "))
    found = re.search(
        r"(?<![\w-])" + r"[\s_-]+(?:to the )?".join(map(re.escape, parts)) + r"(?!\w)", text, re.IGNORECASE
    )
    if found is None and option.lower() == "none":
        found = re.search(r"no (?:significant )?(?:correlation|relationship)", text, re.IGNORECASE)
    return found.start() if found else -1


def stated_rules(options: list[str], texts: list[str], default: str | None) -> tuple[list[Rule], list[str]]:
    """The rules the texts state for the options, and the options for which none does."""
    rules: list[Rule] = []
    for clause in (clause for text in texts for clause in _clauses(text)):
        low = clause
        for part in re.split(
            r",\s*(?:and|while|whereas)\s+(?=a |an |if |\")|,\s*(?:or\s+|and\s+)?(?=\"[^\"]+\"\s*\()|"
            r",\s+(?=a skewness|between|less|greater|more|below|above|[-+]?\d)|"
            r"\s+and\s+(?=\"[^\"]+\" if)|\s+and\s+(?=a \w+ value)",
            low,
        ):
            said = [(at, option) for option in options if (at := _mentions(option, part)) >= 0]
            said = [
                one
                for one in said
                if not any(one[1] != other[1] and one[1] in other[1] and _inside(one, other) for other in said)
            ]
            said = _denied(said, part, options)
            if len(said) != 1 or any(rule["say"] == said[0][1] for rule in rules):
                continue
            for either in re.split(r"\s+or\s+(?=above|below|between|greater|less|more|if|the)", part):
                when = conditions(either, default)
                if when:
                    rules.append({"when": when, "say": said[0][1]})
    left = [option for option in options if not any(rule["say"] == option for rule in rules)]
    return rules, left


def _denied(said: list[tuple[int, str]], text: str, options: list[str]) -> list[tuple[int, str]]:
    """A clause that denies the one option states the other one, where there are two."""
    no = [option for option in options if is_negative(option)]
    if len(said) != 1 or len(options) != 2 or len(no) != 1 or said[0][1] == no[0]:
        return said
    before = text[max(0, said[0][0] - 40) : said[0][0]].lower()
    return [(said[0][0], no[0])] if re.search(r"\b(?:not|cannot|reject|fails?)\b|n't", before) else said


def _inside(one: tuple[int, str], other: tuple[int, str]) -> bool:
    return other[0] <= one[0] < other[0] + len(other[1])


def is_negative(option: str) -> bool:
    """Whether an option denies."""
    return bool(
        re.match(r"(?:not?|non|in)(?:[\s_-]|$|\w*normal)|false$|none$|insignificant|no$", option.strip().lower())
    ) or bool(re.search(r"\bno[t]?\b|not_", option.lower()))

"""Relations of statistics: correlates, differs (with its test), and what lies outside the usual range."""

from __future__ import annotations

from decimal import Decimal

from averment.claims.relation import Relation
from averment.claims.sealed import SealedResult, orderly
from averment.claims.speech import for_whom, has, keys_of, listed, scope_after, slot, value_of
from averment.evidence.bind import literal
from averment.evidence.values import as_decimal
from averment.records.claim import Claim, ClaimValue

LEVEL = Decimal("0.05")
"""Below this p-value a difference is called more than chance."""

TESTS = frozenset({"welch", "anova"})
"""Tests of a difference that rest on each group's count, mean and standard deviation."""

STRENGTHS = ((Decimal("0.7"), "strongly"), (Decimal("0.4"), "moderately"), (Decimal("0.1"), "weakly"))
"""How strong a correlation is called, from which absolute value on; below the last it is called none."""


def strength_words(r: Decimal) -> str:
    """A coefficient in words: its strength and its sign."""
    strength = next((word for least, word in STRENGTHS if abs(r) >= least), None)
    if strength is None:
        return "hardly correlate"
    return f"correlate {strength} and {'positively' if r > 0 else 'negatively'}"


def _number(value: ClaimValue) -> Decimal | None:
    return None if value.evidence.kind == "span" else as_decimal(value.evidence.value)


def _correlates_holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    r = _number(value_of(claim, "r"))
    if r is None or not -1 <= r <= 1 or claim.words.get("word") != strength_words(r):
        return False
    if not has(claim, "p"):
        return True
    p = value_of(claim, "p").evidence
    of = [value_of(claim, role).evidence for role in ("r", "rows")]
    return p.kind == "derived" and p.function == "correlation_p" and list(p.of) == of


def _correlates_said(claim: Claim) -> str:
    first, second = (shown for shown, _ in keys_of(claim, 0))
    rank = {"spearman": "rank correlation", "kendall": "Kendall's tau"}.get(claim.words.get("method", ""), "r")
    said = f"{first} and {second} {claim.words['word']}: {rank} = {slot(claim, 'r')}"
    rows = f" over {slot(claim, 'rows')} rows" if has(claim, "rows") else ""
    probability = f" (p {slot(claim, 'p')})" if has(claim, "p") else ""
    return f"{said}{rows}{probability}{scope_after(claim, comma=True)}."


def _verdict_holds(claim: Claim, p: Decimal | None) -> bool:
    """The verdict is what the p-value says."""
    return p is not None and claim.words.get("verdict") == ("chance" if p >= LEVEL else "more")


def _differs_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    """The test is over every group of the result, in its order, and the verdict is what its p-value says."""
    p, statistic = value_of(claim, "p"), value_of(claim, "statistic")
    if p.evidence.kind != "derived" or statistic.evidence.kind != "derived":
        return False
    test = claim.words.get("test", "welch")
    if test not in TESTS or (statistic.evidence.function, p.evidence.function) != (f"{test}_statistic", f"{test}_p"):
        return False
    if p.evidence.of != statistic.evidence.of:
        return False
    if not _verdict_holds(claim, _number(p)):
        return False
    if sealed is None:
        return True
    cells = [each for each in p.evidence.of if each.kind == "cell"]
    rows = [each.row for each in cells]
    wanted = [row for row in range(sealed.size) for _ in range(3)]
    columns = [claim.words.get(name, "") for name in ("count", "mean", "deviation")] * sealed.size
    means = [
        (value.evidence.row, value.evidence.column)
        for value in claim.values
        if value.role == "mean" and value.evidence.kind == "cell"
    ]
    return (
        sealed.whole
        and rows == wanted
        and [each.column for each in cells] == columns
        and means == [(row, claim.words.get("mean")) for row in range(sealed.size)]
        and len(claim.subjects) == sealed.size
    )


def _differs_said(claim: Claim) -> str:
    parts = [f"{slot(claim, 'mean', n)} {for_whom(claim, n)}" for n in range(len(claim.subjects))]
    name = "t" if len(claim.subjects) == 2 else "F"
    more = claim.words["verdict"] == "more"
    verdict = "the groups differ by more than chance explains" if more else "the difference can be chance"
    said = f"The average {literal(claim.figure)} is {listed(parts)}{scope_after(claim)}; {verdict}"
    test = "F" if claim.words.get("test") == "anova" else f"Welch's {name}"
    return f"{said} ({test} = {slot(claim, 'statistic')}, p {slot(claim, 'p')})."


def _independent_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    """The test is over every pair of values of the result, in its order, and the verdict is what its p-value says."""
    p, statistic = value_of(claim, "p").evidence, value_of(claim, "statistic").evidence
    if p.kind != "derived" or statistic.kind != "derived" or p.of != statistic.of:
        return False
    if (statistic.function, p.function) != ("independence_statistic", "independence_p"):
        return False
    if not _verdict_holds(claim, as_decimal(p.value)):
        return False
    if sealed is None:
        return True
    cells = [(each.row, each.column) for each in p.of if each.kind == "cell"]
    columns = [claim.words.get(name, "") for name in ("rows", "first share", "second share")]
    total = value_of(claim, "total").evidence
    counted = total.kind == "derived" and total.function == "total" and total.of == p.of[::3]
    return counted and sealed.whole and cells == [(row, column) for row in range(sealed.size) for column in columns]


def _independent_said(claim: Claim) -> str:
    first, second = literal(claim.words["first"]), literal(claim.words["second"])
    verdict = "have to do with each other, by more than chance explains"
    if claim.words["verdict"] == "chance":
        verdict = "can be independent: what they have to do with each other can be chance"
    test = f"chi-square = {slot(claim, 'statistic')}, p {slot(claim, 'p')}, {slot(claim, 'total')} rows"
    return f"{first} and {second} {verdict}{scope_after(claim, comma=True)} ({test})."


def _p_value_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    """Both numbers are the result's own, named as such, and the verdict is what the p-value says."""
    p, statistic = value_of(claim, "p").evidence, value_of(claim, "statistic").evidence
    if p.kind != "cell" or statistic.kind != "cell":
        return False
    if not _verdict_holds(claim, as_decimal(p.value)):
        return False
    names = sealed.column("figure") if sealed is not None else []
    return sealed is None or (names[p.row], names[statistic.row]) == ("p-value", "statistic")


def _normal_said(claim: Claim) -> str:
    verdict = "is not normally distributed" if claim.words["verdict"] == "more" else "can be normally distributed"
    said = f"{literal(claim.figure)} {verdict}{scope_after(claim, comma=True)}"
    return f"{said} (statistic = {slot(claim, 'statistic')}, p {slot(claim, 'p')})."


def _tested_said(claim: Claim) -> str:
    figure, groups = literal(claim.figure), literal(claim.words["groups"])
    said = f"{figure} differs between the groups of {groups}{scope_after(claim)}, by more than chance explains"
    if claim.words["verdict"] == "chance":
        said = f"{figure} can be alike in the groups of {groups}{scope_after(claim)}: the difference can be chance"
    return f"{said} ({literal(claim.words['test'])} = {slot(claim, 'statistic')}, p {slot(claim, 'p')})."


def _outside_holds(claim: Claim, sealed: SealedResult | None) -> bool:
    """Every row of the result lies outside the two bounds, which are the same in each row."""
    if sealed is None or not sealed.uncut:
        return False
    low, high, count = (value_of(claim, role).evidence for role in ("low", "high", "count"))
    if low.kind != "cell" or high.kind != "cell" or count != sealed.row_count():
        return False
    bounds = orderly(low.value), orderly(high.value)
    if not isinstance(bounds[0], Decimal) or not isinstance(bounds[1], Decimal):
        return False
    numbers = [orderly(value) for value in sealed.column(claim.words.get("column", ""))]
    every = {
        (orderly(a), orderly(b)) for a, b in zip(sealed.column(low.column), sealed.column(high.column), strict=True)
    }
    if every != {bounds}:
        return False
    return all(isinstance(n, Decimal) and (n < bounds[0] or n > bounds[1]) for n in numbers) and _ends(claim, sealed)


def _ends(claim: Claim, sealed: SealedResult) -> bool:
    column = claim.words["column"]
    numbers = [number for value in sealed.column(column) if isinstance(number := orderly(value), Decimal)]
    least, most = (_number(value_of(claim, role)) for role in ("least", "most"))
    return bool(numbers) and least == min(numbers) and most == max(numbers)


def _outside_said(claim: Claim) -> str:
    low, high, count = slot(claim, "low"), slot(claim, "high"), slot(claim, "count")
    one = value_of(claim, "count").text == "1"
    lie, noun = ("lies", "value") if one else ("lie", "values")
    said = f"{count} {noun} of {literal(claim.figure)} {lie} outside the usual range of {low} to {high}"
    return f"{said}{scope_after(claim)}, the lowest {slot(claim, 'least')} and the highest {slot(claim, 'most')}."


RELATIONS = (
    Relation(
        "correlates",
        "Two columns go together as strongly, and in the direction, as the coefficient says.",
        _correlates_holds,
        _correlates_said,
    ),
    Relation(
        "differs",
        "A test over every group of the result, computed from its counts, means and deviations.",
        _differs_holds,
        _differs_said,
    ),
    Relation(
        "independent",
        "The chi-square test over every pair of values of the result, computed from its counts and shares.",
        _independent_holds,
        _independent_said,
    ),
    Relation(
        "normal",
        "A test of normality, with the statistic and the p-value that the program left.",
        _p_value_holds,
        _normal_said,
    ),
    Relation(
        "tested",
        "A test of samples by groups, with the statistic and the p-value that the program left.",
        _p_value_holds,
        _tested_said,
    ),
    Relation("outliers", "Every row of the result lies outside the two bounds.", _outside_holds, _outside_said),
)

"""Derived values: the few functions by which a number may be computed from cells and results, and the check of them.

A derived value carries what it was computed from, so it is computed again wherever it is bound or verified. A function
that is not in this list derives nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from averment.errors import UnboundNumber
from averment.evidence.values import Scalar, as_decimal, same
from averment.records.run import CellEvidence, DerivedEvidence, ResultEvidence

Numbers = Sequence[Decimal]


def _difference(numbers: Numbers) -> Decimal:
    first, second = numbers
    return first - second


def _ratio(numbers: Numbers) -> Decimal | None:
    first, second = numbers
    return None if second == 0 else first / second


def _percent_change(numbers: Numbers) -> Decimal | None:
    before, after = numbers
    return None if before == 0 else (after - before) * 100 / abs(before)


def _total(numbers: Numbers) -> Decimal:
    return sum(numbers, Decimal(0))


def _share(numbers: Numbers) -> Decimal | None:
    """The first number in percent of all the others together."""
    whole = _total(numbers[1:])
    return None if whole == 0 else numbers[0] * 100 / whole


def _tested(test: str, place: int) -> Callable[[Numbers], float]:
    """A part of a test whose groups, or cells, are given by three numbers each."""

    def compute(numbers: Numbers) -> float:
        from averment.stats import grouped

        plain = [float(number) for number in numbers]
        threes = [(plain[at], plain[at + 1], plain[at + 2]) for at in range(0, len(plain) - 2, 3)]
        return getattr(grouped, test)(threes)[place]

    return compute


def _correlation_p(numbers: Numbers) -> float:
    """How likely so strong a correlation is by chance, from the coefficient and how many pairs it is of."""
    from averment.stats.grouped import correlation_p

    r, rows = (float(number) for number in numbers)
    return correlation_p(r, rows)


FUNCTIONS: dict[str, Callable[[Numbers], Decimal | float | None]] = {
    "difference": _difference,
    "ratio": _ratio,
    "percent_change": _percent_change,
    "total": _total,
    "share": _share,
    "welch_statistic": _tested("welch", 0),
    "welch_p": _tested("welch", 1),
    "anova_statistic": _tested("anova", 0),
    "anova_p": _tested("anova", 1),
    "independence_statistic": _tested("independence", 0),
    "independence_p": _tested("independence", 1),
    "correlation_p": _correlation_p,
}
"""Every function by which a value may be derived, by name."""


def derived(function: str, *of: CellEvidence | ResultEvidence) -> DerivedEvidence:
    """Evidence for what a function makes of other evidence.

    Raises:
        UnboundNumber: there is no such function, or a value is not a number.
    """
    return DerivedEvidence(function=function, of=of, value=_computed(function, of))


def holds(evidence: DerivedEvidence) -> bool:
    """Whether the value is what the function makes of what it was derived from."""
    try:
        return same(_computed(evidence.function, evidence.of), evidence.value)
    except UnboundNumber:
        return False


def _computed(function: str, of: Sequence[CellEvidence | ResultEvidence]) -> Scalar:
    compute = FUNCTIONS.get(function)
    if compute is None:
        raise UnboundNumber(f"{function} is not a derivation.")
    numbers = [number for each in of if (number := as_decimal(each.value)) is not None]
    if len(numbers) < len(of):
        raise UnboundNumber("A value can only be derived from numbers.")
    try:
        value = compute(numbers)
    except ValueError as error:
        raise UnboundNumber(f"{function} does not accept these values.") from error
    if value is None:
        return None
    if isinstance(value, Decimal) and all(isinstance(each.value, int) for each in of):
        whole = value.to_integral_value()
        return int(whole) if whole == value else float(value)
    return float(value)

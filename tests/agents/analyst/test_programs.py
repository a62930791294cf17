"""What the program computes in the jail is what SciPy, scikit-learn and pandas compute."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from averment.agents.analyst.programs.program import compute
from lazily import lazily

pd = lazily("pandas")
stats = lazily("scipy.stats")
linear_model = lazily("sklearn.linear_model")

DICE = np.random.default_rng(7)
FIRST = DICE.normal(size=80).round(1)
SECOND = (0.4 * FIRST + DICE.normal(size=80)).round(1)
GROUP = ["a" if n % 3 else "b" for n in range(80)]


def figures(spec: dict[str, Any], **columns: Any) -> dict[str, float]:
    found = compute(pa.table(columns), {"columns": list(columns), **spec}).to_pydict()
    return dict(zip(found["figure"], found["value"], strict=True))


def test_kendalls_tau_is_of_whole_pairs() -> None:
    table = pa.table({"x": [None, *FIRST], "y": [1.0, *SECOND]})
    found = compute(table, {"kind": "correlation", "columns": ["x", "y"]}).to_pylist()[0]
    assert found["correlation"] == pytest.approx(stats.kendalltau(FIRST, SECOND).statistic)
    assert found["rows"] == 80


def test_a_constant_has_no_correlation() -> None:
    table = pa.table({"x": [1.0, 1.0, 1.0], "y": [1.0, 2.0, 3.0]})
    assert compute(table, {"kind": "correlation", "columns": ["x", "y"]})["correlation"].to_pylist() == [None]


def test_skewness_and_kurtosis_are_those_of_pandas() -> None:
    found, series = figures({"kind": "shape"}, x=FIRST), pd.Series(FIRST)
    assert found["skewness"] == pytest.approx(series.skew())
    assert found["kurtosis"] == pytest.approx(series.kurt())


def test_a_linear_model_is_that_of_scikit_learn_with_the_p_values_of_its_coefficients() -> None:
    target = 2 * FIRST + 3 + DICE.normal(size=80)
    found = figures({"kind": "linear", "features": ["x", "y"], "target": "t"}, x=FIRST, y=SECOND, t=target)
    x = np.column_stack([FIRST, SECOND])
    fit = linear_model.LinearRegression().fit(x, target)
    assert [found["coefficient of x"], found["coefficient of y"]] == pytest.approx(list(fit.coef_))
    assert found["R squared"] == pytest.approx(fit.score(x, target))
    assert found["p-value of x"] < 0.001 < found["p-value of y"]


def test_the_p_value_of_one_feature_is_that_of_scipy() -> None:
    found = figures({"kind": "linear", "features": ["x"], "target": "y"}, x=FIRST, y=SECOND)
    wanted = stats.linregress(FIRST, SECOND)
    assert found["p-value of x"] == pytest.approx(wanted.pvalue)
    assert found["intercept"] == pytest.approx(wanted.intercept)


def test_a_test_of_samples_is_that_of_scipy_with_the_medians_of_the_groups() -> None:
    spec = {"kind": "test", "function": "mannwhitneyu", "samples": 2}
    found = figures(spec, x=FIRST, g=GROUP)
    a, b = ([x for x, g in zip(FIRST, GROUP, strict=True) if g == name] for name in "ab")
    wanted = stats.mannwhitneyu(a, b)
    assert (found["statistic"], found["p-value"]) == pytest.approx((wanted.statistic, wanted.pvalue))
    assert (found["median of a"], found["median of b"], found["rows"]) == (np.median(a), np.median(b), 80)


@pytest.mark.parametrize("groups", [["a"] * 80, [str(n % 3) for n in range(80)]])
def test_a_test_of_two_samples_takes_no_other_number_of_groups(groups: list[str]) -> None:
    found = figures({"kind": "test", "function": "mannwhitneyu", "samples": 2}, x=FIRST, g=groups)
    assert (found["statistic"], found["p-value"]) == (None, None)
    assert {name for name in found if name.startswith("median of")} == {f"median of {group}" for group in groups}

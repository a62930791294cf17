"""Splits and fits are those of scikit-learn."""

import numpy as np
import pytest

from averment.stats.regression import fit_linear, measure, split
from lazily import lazily

linear_model = lazily("sklearn.linear_model")
sk_metrics = lazily("sklearn.metrics")
model_selection = lazily("sklearn.model_selection")


@pytest.mark.parametrize(("rows", "size", "seed"), [(10, 0.2, 42), (101, 0.3, 0), (1338, 0.25, 7)])
def test_the_split_is_that_of_scikit_learn(rows: int, size: float, seed: int) -> None:
    train, test = model_selection.train_test_split(np.arange(rows), test_size=size, random_state=seed)
    found_train, found_test = split(rows, test_size=size, seed=seed)
    assert found_train.tolist() == train.tolist()
    assert found_test.tolist() == test.tolist()


def test_the_fit_and_its_errors_are_those_of_scikit_learn() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=(60, 3))
    y = x @ [1.0, -2.0, 0.5] + 3 + random.normal(size=60)
    expected = linear_model.LinearRegression().fit(x, y)
    found = fit_linear(x, y)
    assert found.coefficients == pytest.approx(expected.coef_)
    assert found.intercept == pytest.approx(expected.intercept_)
    said = measure(y, found.predict(x))
    assert said["mse"] == pytest.approx(sk_metrics.mean_squared_error(y, expected.predict(x)))
    assert said["r2"] == pytest.approx(sk_metrics.r2_score(y, expected.predict(x)))


def test_a_feature_that_matters_has_a_small_p_value() -> None:
    random = np.random.default_rng(2)
    x = random.normal(size=(200, 2))
    found = fit_linear(x, 2 * x[:, 0] + random.normal(size=200))
    assert found.p_values[0] < 0.001 < found.p_values[1]

"""Tails that are written out here agree with the library everyone trusts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.stats.tails import chi_square_tail, f_tail, t_two_sided
from lazily import lazily

special = lazily("scipy.special")

FREEDOM = st.floats(min_value=0.5, max_value=1e5)
STATISTIC = st.floats(min_value=0, max_value=1e4)


@given(t=st.floats(min_value=-200, max_value=200), freedom=FREEDOM)
def test_students_t(t: float, freedom: float) -> None:
    wanted = float(special.betainc(freedom / 2, 0.5, freedom / (freedom + t * t)))
    assert t_two_sided(t, freedom) == pytest.approx(wanted, rel=1e-8, abs=1e-290)


@given(above=FREEDOM, below=FREEDOM, f=STATISTIC)
def test_fishers_f(above: float, below: float, f: float) -> None:
    lower, upper = float(special.fdtr(above, below, f)), float(special.fdtrc(above, below, f))
    # Near one the upper tail of the other library loses digits that its lower one has.
    assert f_tail(above, below, f) == pytest.approx(upper if upper < 0.5 else 1 - lower, rel=1e-7, abs=1e-14)


def test_fishers_f_keeps_its_digits_for_the_smallest_statistics() -> None:
    assert 1 - f_tail(0.5, 6.0, 1e-12) == pytest.approx(float(special.fdtr(0.5, 6.0, 1e-12)), rel=1e-9)


@given(freedom=FREEDOM, statistic=STATISTIC)
def test_chi_square(freedom: float, statistic: float) -> None:
    assert chi_square_tail(freedom, statistic) == pytest.approx(
        float(special.chdtrc(freedom, statistic)), rel=1e-7, abs=1e-14
    )


def test_edges() -> None:
    assert t_two_sided(0.0, 5) == 1.0
    assert f_tail(2, 10, 0.0) == 1.0
    assert chi_square_tail(3, 0.0) == 1.0
    assert math.isnan(t_two_sided(math.nan, 5))

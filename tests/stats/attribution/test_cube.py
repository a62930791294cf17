"""The cube and its roll-ups: sums are the same by any path, and what cannot be a cube is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.errors import AvermentError
from averment.stats.attribution import lattice
from averment.stats.attribution.contributions import Counterfactual, Effect, share_out
from averment.stats.attribution.cube import CodedColumn, Side, build_cube
from averment.stats.attribution.lattice import build_lattice
from averment.stats.attribution.options import Options

rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 4), st.integers(0, 50)), min_size=1, max_size=60
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(rows=rows)
def test_every_cuboid_sums_to_the_same_total(rows: list[tuple[int, int, int, int]]) -> None:
    totals = [float(row[3]) for row in rows]
    cube = build_cube(
        {"a": [r[0] for r in rows], "b": [r[1] for r in rows], "c": [r[2] for r in rows]},
        baseline=Side.of(total=totals),
        comparison=Side.of(total=totals),
    )
    built = build_lattice(cube, 3)
    for cuboid in built.cuboids:
        assert cuboid.roll_up(cube.baseline.total).sum() == sum(totals)
        assert len(np.unique(cuboid.cells)) == cuboid.size


def test_sorting_numbers_the_cells_as_the_table_does(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    columns = {name: random.integers(0, 9, 500) for name in ("a", "b", "c")}
    cube = build_cube(columns, baseline=Side.of(total=np.ones(500)), comparison=Side.of(total=np.ones(500)))
    by_table = build_lattice(cube, 3)
    monkeypatch.setattr(lattice, "DENSE_CELLS", 20)
    by_sorting = build_lattice(cube, 3)
    for one, two in zip(by_table.cuboids, by_sorting.cuboids, strict=True):
        assert (one.size, one.cells.tolist()) == (two.size, two.cells.tolist())


def test_small_cells_are_not_looked_at_and_large_ones_keep_their_sums() -> None:
    side = Side.of(total=[10.0, 1.0, 20.0])
    cube = build_cube({"a": ["x", "y", "z"]}, baseline=side, comparison=side)
    cuboid = build_lattice(cube, 1, least_rows=5).cuboids[1]
    assert cuboid.roll_up(cube.baseline.total).tolist() == [10.0, 20.0]


def test_equal_leaves_are_merged_and_absent_values_are_a_value() -> None:
    cube = build_cube({"a": ["x", None, "x"]}, baseline=Side.of(total=[1, 2, 3]), comparison=Side.of(total=[4, 5, 6]))
    assert cube.values == (("(none)", "x"),)
    assert cube.baseline.total.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("bad", [[1.0, float("nan")], [1.0, float("inf")], [1.0]])
def test_what_is_no_finite_number_per_leaf_is_refused(bad: list[float]) -> None:
    with pytest.raises(AvermentError) as refused:
        build_cube({"a": ["x", "y"]}, baseline=Side.of(total=bad), comparison=Side.of(total=[1, 2]))
    assert refused.value.code == "INVALID_ARGUMENTS"


@pytest.mark.parametrize("wrong", [{"alpha": 0.0}, {"max_dimensions": 0}, {"exposure": -1.0}, {"scale": (0.0, 1.0)}])
def test_options_outside_their_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(AvermentError) as refused:
        Options(**wrong)  # pyright: ignore[reportArgumentType]
    assert refused.value.code == "INVALID_ARGUMENTS"


@settings(max_examples=40, deadline=None, derandomize=True)
@given(multipliers=st.lists(st.floats(0.1, 5.0), min_size=1, max_size=12), ratio=st.booleans(), seed=st.integers(0, 99))
def test_contributions_sum_to_what_all_effects_do_together(multipliers: list[float], ratio: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    counted = random.integers(1, 100, 40).astype(float)
    side = Side.of(rows=counted, total=counted * random.random(40))
    cube = build_cube({"a": list(range(40))}, baseline=side, comparison=side)
    effects = [
        Effect(
            factor="volume" if number % 2 else "rate",
            leaves=np.flatnonzero(random.random(40) < 0.4),
            multiplier=multiplier,
        )
        for number, multiplier in enumerate(multipliers)
    ]
    counterfactual = Counterfactual(cube, effects, ratio=ratio)
    together = counterfactual.value((1 << len(effects)) - 1) - counterfactual.value(0)
    assert sum(share_out(counterfactual)) == pytest.approx(together, abs=1e-6 * max(1.0, abs(together)))


def test_a_numbered_column_gives_the_same_cube_as_its_values() -> None:
    side = Side.of(total=[1.0, 2.0, 3.0, 4.0])
    plain = build_cube({"d": ["b", None, "a", "b"]}, baseline=side, comparison=side)
    numbered = CodedColumn(["b", None, "a"], np.array([0, 1, 2, 0]))
    coded = build_cube({"d": numbered}, baseline=side, comparison=side)
    assert plain.values == coded.values
    assert (plain.codes == coded.codes).all()
    assert (plain.baseline.total == coded.baseline.total).all()

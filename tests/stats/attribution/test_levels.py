"""Names of segments: as few words as say the same."""

from __future__ import annotations

import numpy as np

from averment.stats.attribution.attribute import attribute
from averment.stats.attribution.cube import Side, build_cube
from averment.stats.attribution.levels import telling_columns
from averment.stats.attribution.options import Options


def side(rows: list[float]) -> Side:
    counts = np.array(rows, dtype=np.float64)
    return Side(rows=counts, total=counts, squares=counts, hits=counts, weight=counts)


def cities() -> tuple[list[str], list[str], list[str]]:
    city = [f"city {number}" for number in range(8) for _ in range(3)]
    region = ["north" if number < 4 else "south" for number in range(8) for _ in range(3)]
    return city, region, ["web", "app", "shop"] * 8


def test_a_dimension_that_another_fixes_is_not_named() -> None:
    city, region, channel = cities()
    before = side([200.0] * 24)
    after = [200.0] * 24
    after[city.index("city 2") + 1] = 20.0
    cube = build_cube({"city": city, "region": region, "channel": channel}, baseline=before, comparison=side(after))
    assert telling_columns(cube, (0, 1, 2)) == (0, 2)
    assert telling_columns(cube, (1, 2)) == (1, 2)
    assert telling_columns(cube, (1,)) == (1,)
    found = attribute(cube, Options()).explanations[0]
    assert found.segment == {"city": "city 2", "channel": "app"}

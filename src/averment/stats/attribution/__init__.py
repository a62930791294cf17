"""Change attribution: which segments moved a metric, by how much, how surely, and how much stays unexplained.

``build_cube`` (or ``forecast_cube``) makes the input, ``attribute`` the answer; ``split_mix`` splits a ratio's change
into mix and rate, ``find_faults`` tests a daily series for faults of the data. Everything is arithmetic on arrays.
"""

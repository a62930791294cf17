"""Cubes: dates, dimensions and facts of a metric, and the queries behind a drill-down."""

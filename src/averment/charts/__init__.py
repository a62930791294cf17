"""Charts: a small table and a specification become Vega-Lite JSON and a PNG, offline and the same on every run."""

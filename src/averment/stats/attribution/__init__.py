"""Why a metric moved, read in the order in which one reading would void the next: grain, faults, expectation, causes.

``Facts`` holds the rows (or cells of rows) of a metric with its dimensions; ``read_moves`` returns the stories that
pass every gate, and ``break_down`` the table of all segments, which is there whether or not a cause is.
"""

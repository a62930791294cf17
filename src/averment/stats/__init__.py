"""Statistics on arrays: summaries and tests of columns, and what moved a metric between two periods.

Nothing here reads a file, a table or a model; callers aggregate first and hand over arrays.
"""

"""Rows: sources are opened, SQL is guarded, queries run in their own process, tables are profiled."""

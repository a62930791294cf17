"""Engines: guarded queries run on DuckDB, SQLite, Postgres, Spark or what a plugin adds."""

"""What a query may be made of: the functions it may call, by dialect, and the syntax that the guard lets into a tree.

Both are allow-lists, in ``allowed.toml``: an unknown function is refused, and so is a node that the parser learns to
make tomorrow.

In: mathematics, text, dates, aggregates, windows, lists, JSON, regular expressions and statistics. Out, whatever they
are called: everything that reads files, settings, catalogues or sequences, runs SQL held in a string, sleeps, writes,
raises on purpose, makes large objects, or tells who and where the session is. Names are in lower case.
"""

from __future__ import annotations

from functools import lru_cache

from averment.language.word_lists import toml_file
from averment.tables.catalog import Dialect


@lru_cache(maxsize=1)
def allowed() -> dict[str, dict[str, frozenset[str]]]:
    """The tables of ``allowed.toml``, each list as a set of names."""
    tables = toml_file("averment.tables.guard", "allowed.toml")
    return {name: {key: frozenset(words.split()) for key, words in lists.items()} for name, lists in tables.items()}


_DIALECTS: tuple[Dialect, ...] = ("duckdb", "sqlite", "postgres")


FUNCTIONS: dict[Dialect, frozenset[str]] = {
    dialect: allowed()["functions"]["shared"] | allowed()["functions"][dialect] for dialect in _DIALECTS
}
"""Every function name that may stand before a parenthesis, by dialect."""

TABLE_FUNCTIONS: dict[Dialect, frozenset[str]] = {
    dialect: allowed()["table_functions"][dialect] for dialect in _DIALECTS
}
"""Functions that may stand in FROM: they make rows from their arguments alone."""

VOLATILE = allowed()["names"]["volatile"]
"""Functions whose answer depends on the moment or on chance: running such a query again proves nothing."""

STRUCTURE = allowed()["syntax"]["structure"]
"""Nodes that are not functions."""

FUNCTION_NODES = allowed()["syntax"]["function_nodes"]
"""Calls with a syntax of their own, and operators; ``Anonymous`` is every other call, judged by its name."""

TYPES = allowed()["syntax"]["types"]
"""Types a value may be cast to; types of the user's making and the engines' object identifiers are not among them."""

WORDS_BEFORE_PARENTHESIS = allowed()["syntax"]["words_before_parenthesis"]
"""Words of the grammar that may stand before an opening parenthesis without being a function."""

SESSION_WORDS = allowed()["syntax"]["session_words"]
"""Words that engines read as a function without parentheses; a column of that name is always written in quotes."""

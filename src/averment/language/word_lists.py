"""Word lists are data: a package keeps its own in a file ``words.toml``, a table for each module that uses them."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib import resources
from typing import Any


def word_lists(table: str, package: str = "averment.language") -> dict[str, Any]:
    """The lists of one table of a package's file, each as its text: words apart by blanks, or one entry a line."""
    return toml_file(package)[table]


def patterns(module: str, package: str) -> dict[str, str]:
    """The patterns of one module: the lines of each are written apart and read as one."""
    return {name: "".join(text.splitlines()) for name, text in toml_file(package)[f"patterns.{module}"].items()}


def any_of(phrases: str) -> str:
    """One group that matches any line of a text as a pattern; a blank stands for any white space."""
    lines = (line.strip() for line in phrases.strip().splitlines())
    return "(?:" + "|".join(line.replace(" ", r"\s+") for line in lines) + ")"


@lru_cache
def toml_file(package: str, name: str = "words.toml") -> dict[str, dict[str, Any]]:
    """The tables of a file that a package keeps."""
    return tomllib.loads(resources.files(package).joinpath(name).read_text(encoding="utf-8"))

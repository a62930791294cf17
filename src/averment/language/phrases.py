"""Patterns written as phrases, one a line, so that lists of wordings stay readable."""

from __future__ import annotations


def any_of(phrases: str) -> str:
    """One group that matches any line of a text as a pattern; a blank stands for any white space."""
    lines = (line.strip() for line in phrases.strip().splitlines())
    return "(?:" + "|".join(line.replace(" ", r"\s+") for line in lines) + ")"

"""The words by which intents are told apart; they stand in ``words.toml``, one pattern a line."""

from __future__ import annotations

import re

from averment.language.word_lists import word_lists

_LISTS = word_lists("intents")


def pattern(name: str) -> re.Pattern[str]:
    """Any pattern of a list."""
    return re.compile("|".join(_LISTS[name].splitlines()))


def words(name: str) -> re.Pattern[str]:
    """Any pattern of a list, as whole words."""
    return re.compile(rf"\b(?:{pattern(name).pattern})\b")


METRIC, MOVE, CAUSE = words("metric"), words("move"), words("cause")
STATISTIC, DATA, SOURCES, TASK_WORDS = words("statistic"), words("data"), words("sources"), words("task_words")
REFERENCE = pattern("reference")
VERB_PAST = pattern("verb_past").pattern

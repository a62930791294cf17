"""Lists that are turned page by page: all of something, or what some words are found in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
SHOWN = 30


def list_page(page: int, some: Callable[[int, int], Sequence[T]]) -> tuple[Sequence[T], bool]:
    """The things of a page, counted from one, and whether there are more; ``some`` gives so many from a place on."""
    found = some(SHOWN + 1, (page - 1) * SHOWN)
    return found[:SHOWN], len(found) > SHOWN


def fitting(every: Sequence[T], fits: Callable[[T], bool]) -> Callable[[int, int], Sequence[T]]:
    """Some of those that fit, from a place on."""
    found = [one for one in every if fits(one)]
    return lambda count, start: found[start : start + count]


def has_words(find: str, text: str) -> bool:
    """Whether every word is found in a text, in letters of whichever case."""
    said = text.casefold()
    return all(word in said for word in find.casefold().split())

"""Why a metric moved, read in the order in which one reading would void the next: grain, faults, expectation, causes.

``Facts`` holds the rows (or cells of rows) of a metric with its dimensions; ``read_moves`` returns the stories that
pass every gate, and ``break_down`` the table of all segments, which is there whether or not a cause is.
"""

from __future__ import annotations

from averment.stats.moves.breakdown import Mover, break_down
from averment.stats.moves.facts import Axis, Facts, JoinFact
from averment.stats.moves.story import Kind, Story
from averment.stats.moves.tell import Moves, merge_renamed, read_moves

__all__ = ["Axis", "Facts", "JoinFact", "Kind", "Mover", "Moves", "Story", "break_down", "merge_renamed", "read_moves"]

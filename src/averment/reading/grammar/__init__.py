"""A compact reader of ordinary questions over tables: mentions, coverings, frames, plans, each with a score.

``mentions`` finds what words of a question may stand for: columns, values of the data, rows, periods, numbers and cues
of one small word list (``cues.toml``). ``coverings`` chooses the best few ways in which mentions cover the question.
``frames`` says what each mention does: what is measured, for which groups, under which conditions. ``figure_plans``,
``ranking_plans`` and ``comparison_plans`` make plans of a frame; ``candidates`` ranks them by how well the mentions fit
and what is left over. What a new wording means is learned from examples and never written here.
"""

from __future__ import annotations

from averment.reading.grammar.candidates import Candidate, read

__all__ = ["Candidate", "read"]

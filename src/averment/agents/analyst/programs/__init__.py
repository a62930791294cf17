"""Statistics that no engine computes: a fixed program that goes to the jail with its specification."""

from averment.agents.analyst.programs.bundle import code_for

__all__ = ["code_for"]

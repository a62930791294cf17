"""Accounting: every content word of a question must have left its trace in the plan."""

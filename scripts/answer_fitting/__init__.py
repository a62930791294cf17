"""Fitting the odds that a sentence answers a question."""

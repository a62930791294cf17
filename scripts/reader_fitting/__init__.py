"""Fitting the reader of a question and a sentence together."""

"""Fitting the row reader: cases collected, a linear ranker, a small reader over its shortlist, and trust in both."""

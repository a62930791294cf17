"""Fitting the odds of readings: questions with known answers, what is read, what is learned of it, and how well."""

"""Statistics that no engine computes: a fixed program that goes to the jail with its specification."""

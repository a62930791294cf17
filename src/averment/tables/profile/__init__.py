"""Profiles: what the columns of a table are, how tables relate, and what is personal data."""

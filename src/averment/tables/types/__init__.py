"""Types: which type a column of text has, and how its values are parsed."""

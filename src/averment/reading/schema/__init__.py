"""The schema as a reader sees it: roles, joins, values, and what people said about columns."""

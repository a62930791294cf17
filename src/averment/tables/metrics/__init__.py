"""Metrics: the SQL of a metric becomes algebra over joined rows."""

"""Fitting the reader of links: which columns and values a question means without naming them."""

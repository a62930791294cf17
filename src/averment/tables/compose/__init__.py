"""Composing SQL: typed selects and layers become one text in each dialect, and back."""

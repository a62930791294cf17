"""Bytes to text: a reader for each kind of document, all behind limits, fragile ones in a process of their own."""

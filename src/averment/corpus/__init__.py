"""Passages: read, archived by hash, indexed, searched and quoted; fetched from the web where that is asked for."""

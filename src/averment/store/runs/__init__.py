"""Runs and sessions: their rows, events, files and workers."""

"""Processes: warm interpreters in which files are read and queries run, each under its limits."""

"""Warm processes: one interpreter imports the heavy packages, and each process that is needed is a fork of it."""

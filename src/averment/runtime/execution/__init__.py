"""Execution: runs are started, made durable, followed, restored and cancelled here."""

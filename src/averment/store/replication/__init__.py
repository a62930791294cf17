"""Copies of what proves: other writers' logs, and checkpoints sent to a witness."""

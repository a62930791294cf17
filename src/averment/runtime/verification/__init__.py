"""Verification: what a run said, held against the ledger and recomputed from its sources."""

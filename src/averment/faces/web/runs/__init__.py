"""The pages of runs: answers, steps, plans, charts, proofs and the ledger."""

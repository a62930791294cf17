"""The driller's loop with a model: it proposes hypotheses as specs, round by round, and the engine tests each."""

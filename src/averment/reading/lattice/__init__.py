"""The lattice: the question cut into spans, each with typed hypotheses."""

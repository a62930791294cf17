"""What every agent's loop with a model shares: steps that are kept, what may be seen, and that it is said aloud."""

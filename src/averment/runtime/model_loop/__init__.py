"""The loop in which every agent's model works: typed tools, steps that are kept, and what of the data may be seen."""

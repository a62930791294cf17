"""The driller: why a metric moved, segment by segment, with proof and an honest "no finding"."""

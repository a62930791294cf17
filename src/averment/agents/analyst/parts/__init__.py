"""The parts questions are made of: measures, splits, filters and periods, found in words and compiled to a select."""

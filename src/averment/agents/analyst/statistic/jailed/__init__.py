"""What runs inside the jail: pure functions on data frames, shipped there as text."""

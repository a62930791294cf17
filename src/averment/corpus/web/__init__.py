"""The web, reached safely: which addresses may be spoken to, one guarded connection, robots, limits, and a cache."""

"""Claims: sentences as data. Each relation holds itself against the evidence and says itself in English.

``relation`` has the registry and makes claims, ``sealed`` is a result as claims see it, ``kinds`` finds out what kind
of value a column holds; the modules named ``of_…`` hold the relations themselves.
"""

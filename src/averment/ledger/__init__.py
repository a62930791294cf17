"""What is kept for ever: one append-only, hash-chained, signed log that anyone can check offline.

``writer`` is the way in, ``verify`` the way to check; ``entry`` (one line), ``tree`` (RFC 6962) and ``checkpoint``
(signed notes) are what both are made of. Nothing is imported here, so that the verifier runs with nothing but itself.
"""

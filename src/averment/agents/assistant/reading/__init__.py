"""From a message to the acts it asks for: words put right, clauses cut, each clause with its verb and what it names.

``words`` puts the writing right, ``clauses`` cuts, ``acts`` reads one clause, ``message`` the whole; ``titles`` and
``when`` read what a new task says and when it is due, ``answers`` what a yes or a no is. Nothing here knows the tasks
there are, or does anything.
"""

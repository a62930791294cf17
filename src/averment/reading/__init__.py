"""Reading questions over tables: one lexicon, one cut of the question, one grammar, one judge's evidence.

``lexicon`` holds word knowledge as data, ``words`` kinship of words, ``schema`` what the tables hold, ``lattice`` the
question cut into typed spans, ``slots`` what each span does, ``operations`` the plans they make, ``account`` whether
every word of the question left its trace in a plan.
"""

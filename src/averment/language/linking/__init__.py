"""Words of a question connected to values: what stands in the cells of columns.

``lexicon`` holds abbreviations and synonyms, ``affinity`` says how near two spellings are, ``values`` finds cell values
among very many, ``places`` knows that AZ is Arizona.
"""

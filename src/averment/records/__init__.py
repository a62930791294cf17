"""The nouns: frozen records with the exact names, fields and limits of the seeds.

``run`` holds what every run is made of, ``analysis`` the analyst's records (seed 000), ``audit`` the ledger's entries,
``drilldown`` the metric investigation (seed 001), ``research`` the research report (seed 002) and ``chat`` tasks and
conversations (seed 003). ``base`` has what they share, ``refusal`` the way from a bad value to its error. Records know
no storage, no engine and no model.
"""

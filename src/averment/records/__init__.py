"""The nouns: frozen records with the exact names, fields and limits of the contracts.

``run`` holds what every run is made of, ``analysis`` the analyst's records, ``audit`` the ledger's entries,
``drilldown`` the metric investigation, ``research`` the research report and ``chat`` tasks and
conversations. ``base`` has what they share, ``refusal`` the way from a bad value to its error. Records know
no storage, no engine and no model.
"""

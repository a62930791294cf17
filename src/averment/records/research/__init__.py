"""The researcher's nouns: the request and its plan, sources and facts, citations, and the report."""

"""Documents as structure: fields with their places, headings, lists with their leads, rows of tables under headers.

Everything is a pure function of an archived text and its kind, so that the same snapshot always has the same structure.
"""

"""The pages of data: datasets, documents, tables and what was learned."""

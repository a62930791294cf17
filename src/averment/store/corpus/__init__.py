"""The corpus in the database: documents, passages, members, vectors, and research over them."""

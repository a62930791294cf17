"""The learned reader: a small language model writes the SQL of a question, and its names are made to be real ones."""

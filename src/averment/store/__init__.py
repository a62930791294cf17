"""What is kept to be changed: the database, the files and artifacts, the vectors, and the recipes.

Nothing is imported here, so that a command which needs only the files does not pay for the database library.
"""

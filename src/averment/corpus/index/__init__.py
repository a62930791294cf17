"""What is held in memory to answer a search: terms, vectors and names of every passage."""

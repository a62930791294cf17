"""Search by meaning: vectors, nearest rows, and memory documents."""

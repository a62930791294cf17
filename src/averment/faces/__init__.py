"""How Averment is reached: each face parses, calls the workbench, and prints."""

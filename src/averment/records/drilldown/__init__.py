"""The driller's nouns: session and files, the investigation, its loop, its results, and the HTTP bodies."""

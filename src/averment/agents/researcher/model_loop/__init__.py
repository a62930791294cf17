"""The researcher's loop with a model: it reads what was found, asks again, rejects, outlines, and writes over spans."""

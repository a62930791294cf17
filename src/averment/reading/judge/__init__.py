"""The judge: odds, witnesses and doubts decide which reading answers."""

"""Weights by hand, by which candidates are put in a first order before any are fitted."""

HAND = {
    "full": 3.0, "own": 2.0, "cosine": 3.0, "context": 1.5, "fits": 1.0, "phrase": 1.0, "hole": -3.0, "bound": 0.3,
    "short": -0.5, "about": 0.8, "heads": 0.3, "pair": 1.0, "exact": 1.0, "tense": -1.0, "focus": 0.3, "verb": 0.5,
    "bias": -6.0,
}  # fmt: skip

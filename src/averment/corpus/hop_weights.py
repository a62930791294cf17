"""How much each signal of a multi-hop search counts, in the order of ``hop_signals.SIGNALS``.

Fitted by ``bench/retrieval_fit.py``: one logistic regression a round over the public halves of three sets of multi-hop
questions, checked by leaving questions out and by leaving a whole set out.
"""

from __future__ import annotations

WEIGHTS: tuple[tuple[float, ...], tuple[float, ...]] = (
    (2.87, 1.95, 4.97, 2.92, -0.13, 0.8, 3.38, 1.6, 4.25, -6.28, -2.67, 3.18, 2.36, 0.0),
    (0.86, 0.39, 2.86, 1.31, -0.31, 0.27, 0.88, 0.7, 2.72, -3.0, -1.3, 1.95, 1.75, 4.01),
)
BIAS: tuple[float, float] = (-5.75, -4.57)

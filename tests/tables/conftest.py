"""Lets the tests of this folder and of tests/slow use the same tables of questions."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))  # For the counting door and the cluster.

"""Lets the slow tests use the tables of questions of tests/tables, and the cluster of scripts/."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS / "tables"))
sys.path.insert(0, str(TESTS.parent / "scripts"))

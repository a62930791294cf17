"""Tests of the source itself share how it is measured."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # For ``shape``.

"""Stand-ins for packages that may never be needed: taken at import, real at their first use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CASE = """
import sys
from averment.runtime.lazy_import import imported_later
with imported_later("wave", "part"):
    import wave as taken
    from wave import part
assert "wave" not in sys.modules and "wave.part" not in sys.modules
assert type(taken).__name__ == "_Later"
assert issubclass(taken.Error, Exception)
import wave
assert taken.Error is wave.Error and type(wave).__name__ == "module"
with imported_later("wave"):
    import wave as again
assert again is wave
"""

USED_MEANWHILE = """
import sys
from averment.runtime.lazy_import import imported_later
with imported_later("wave"):
    import wave as taken
    class Own(taken.Error): pass
import wave
assert issubclass(Own, wave.Error) and sys.modules["wave"] is wave
"""

DURABLE = """
import sys
import averment.runtime.execution.durable
assert "psycopg" not in sys.modules
from dbos._utils import psycopg
assert issubclass(psycopg.errors.ConnectionTimeout, psycopg.OperationalError)
import psycopg as real
assert psycopg.OperationalError is real.OperationalError
"""


@pytest.mark.parametrize("code", [CASE, USED_MEANWHILE, DURABLE])
def test_a_stand_in_is_the_real_package_as_soon_as_it_is_used(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=Path.cwd())
    assert done.returncode == 0, done.stderr

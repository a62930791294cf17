"""What analysts write must work in every jail."""

# ruff: noqa: E501 - a snippet is one line

from __future__ import annotations

from pathlib import Path

import pytest

from averment.sandbox.protocol import Jail, JailResult, Job

ORDINARY = {
    "numpy": "import numpy as np; print(int(np.arange(10).sum()))",
    "pandas": "import pandas as pd; print(int(pd.read_csv('/in/data.csv').value.sum()))",
    "duckdb": "import duckdb; print(duckdb.sql(\"select sum(value)::int from '/in/data.csv'\").fetchone()[0])",
    "polars": "import polars as pl; print(pl.read_csv('/in/data.csv')['value'].sum())",
    "arrow": "import pyarrow.csv as c, pyarrow.compute as k; print(k.sum(c.read_csv('/in/data.csv')['value']).as_py())",
    "sqlite in memory": "import sqlite3; print(sqlite3.connect(':memory:').execute('select 45').fetchone()[0])",
    "sqlite on disk": """
import sqlite3
c = sqlite3.connect('x.db'); c.execute('create table t(a)'); c.execute('insert into t values (45)'); c.commit()
print(sqlite3.connect('x.db').execute('select a from t').fetchone()[0])
""",
    "time zones": """
import datetime, zoneinfo
print(45 if datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Paris')).utcoffset().seconds == 7200 else 0)
""",
    "asyncio": "import asyncio\nasync def f(): await asyncio.sleep(0); return 45\nprint(asyncio.run(f()))",
    "threads": """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool: print(sum(pool.map(int, range(10))))
""",
    "temporary files": """
import tempfile, os
with tempfile.NamedTemporaryFile('w+') as f: f.write('45'); f.seek(0); print(f.read())
with tempfile.TemporaryDirectory() as d: open(os.path.join(d, 'x'), 'w').write('x')
""",
    "copies": """
import shutil, os
open('a.txt', 'w').write('45'); shutil.copy('a.txt', 'b.txt'); shutil.copy2('a.txt', 'c.txt'); os.chmod('b.txt', 0o600)
shutil.move('b.txt', 'd.txt'); print(open('d.txt').read())
""",
    "dataclasses": """
from __future__ import annotations
import dataclasses, pickle
@dataclasses.dataclass
class Row: value: int
print(pickle.loads(pickle.dumps(Row(45))).value)
""",
    "statistics": "import statistics, decimal, fractions, math, re, json, csv, io, itertools; print(round(statistics.mean([40, 50])))",
    "subfolders": "(OUT / 'sub').mkdir(); (OUT / 'sub' / 'a.txt').write_text('x'); print(sum(int(l.split(',')[1]) for l in open(IN / 'data.csv') if l[0] == 'r'))",
    "a signal to itself": "import signal; signal.signal(signal.SIGUSR2, lambda *a: print(45)); signal.raise_signal(signal.SIGUSR2)",
    "an alarm": "import signal; signal.signal(signal.SIGALRM, lambda *a: print(45)); signal.setitimer(signal.ITIMER_REAL, 0.01); signal.pause()",
    "mapped memory": "import numpy as np; a = np.memmap('m', dtype='i4', mode='w+', shape=10); a[:] = range(10); a.flush(); print(int(a.sum()))",
    "an exit handler": "import atexit; atexit.register(print, 45)",
    "a thread at the end": "import threading, time; threading.Thread(target=lambda: (time.sleep(0.05), print(45))).start()",
    "openpyxl": "import openpyxl; b = openpyxl.Workbook(); b.active['A1'] = 45; b.save('/out/b.xlsx'); print(openpyxl.load_workbook('/out/b.xlsx').active['A1'].value)",
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    path.write_text("name,value\n" + "".join(f"row{n},{n}\n" for n in range(10)))
    return path


@pytest.mark.parametrize("what", ORDINARY)
def test_ordinary_code_works(jail: Jail, data: Path, tmp_path: Path, what: str) -> None:
    if what == "openpyxl":
        pytest.importorskip("openpyxl")
    result = jail.run(Job(code=ORDINARY[what], inputs={"data.csv": data}, timeout_seconds=30), tmp_path / "out")
    assert (result.status, result.exit_code, result.stdout) == ("ok", 0, "45\n"), result
    assert result.error is None
    assert result.jail == jail.name


def test_results_of_every_kind_come_back(jail: Jail, data: Path, tmp_path: Path) -> None:
    code = """
import pandas as pd, pyarrow.feather as f
frame = pd.read_csv('/in/data.csv')
frame.to_csv('/out/a.csv'); frame.to_parquet('/out/a.parquet'); frame.to_json('/out/a.json'); f.write_feather(frame, '/out/a.feather')
"""
    result = jail.run(Job(code=code, inputs={"data.csv": data}), tmp_path / "out")
    assert set(result.files) == {"a.csv", "a.parquet", "a.json", "a.feather"}, result
    assert result.notes == ()
    assert all(path.parent == tmp_path / "out" and path.stat().st_size > 0 for path in result.files.values())


def _run_twice(jail: Jail, code: str, folder: Path) -> list[JailResult]:
    return [jail.run(Job(code=code), folder / str(number)) for number in range(2)]


def test_the_same_code_draws_the_same_numbers(jail: Jail, tmp_path: Path) -> None:
    code = "import random, numpy as np; print(random.random(), np.random.rand(), list({'a', 'b', 'c', 'd'}), hash('x'))"
    first, second = _run_twice(jail, code, tmp_path)
    assert first.stdout == second.stdout != ""


def test_nothing_is_left_from_one_job_to_the_next(jail: Jail, tmp_path: Path) -> None:
    code = """
import os, sys, json
print(os.path.exists('left'), os.listdir(OUT), hasattr(json, 'poisoned'), os.environ.get('LEFT'))
open('left', 'w').write('x'); open(OUT / 'left.txt', 'w').write('x'); json.poisoned = 1; os.environ['LEFT'] = 'x'
"""
    for result in _run_twice(jail, code, tmp_path):
        assert result.stdout == "False [] False None\n", result


def test_inputs_cannot_be_changed_and_the_host_file_stays(jail: Jail, data: Path, tmp_path: Path) -> None:
    code = """
import os
for act in (lambda: open(IN / 'data.csv', 'a'), lambda: os.remove(IN / 'data.csv'), lambda: open(IN / 'new', 'w'),
            lambda: os.truncate(IN / 'data.csv', 0), lambda: os.rename(IN / 'data.csv', 'x'), lambda: os.link(IN / 'data.csv', 'y')):
    try: act(); print('changed')
    except OSError: pass
try: os.chmod(IN / 'data.csv', 0o777)
except OSError: pass
"""
    before = data.read_bytes(), data.stat().st_mode
    result = jail.run(Job(code=code, inputs={"data.csv": data}), tmp_path / "out")
    assert result.stdout == "", result
    assert (data.read_bytes(), data.stat().st_mode) == before

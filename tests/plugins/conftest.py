"""An environment of its own that has the example plugins installed from their built wheel."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")


@dataclass(frozen=True)
class Installed:
    """A virtual environment with the wheel, and the folder that its commands run in."""

    python: Path
    packages: Path
    folder: Path

    def run(self, *command: object, **more: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **more}
        environment.pop("PYTHONPATH", None)
        return subprocess.run(
            [str(self.python), *map(str, command)], cwd=self.folder, env=environment, capture_output=True, text=True
        )

    def averment(self, *command: object, **more: str) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "averment", *command, **more)

    def json(self, *command: object, **more: str) -> Any:
        done = self.averment(*command, "--json", **more)
        assert done.returncode == 0, done.stderr + done.stdout
        return json.loads(done.stdout)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example plugins as the wheel that anyone would install."""
    if not UV.exists():
        pytest.skip("uv is not in this environment, so no wheel can be built")
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT / "examples" / "plugins", folder / "plugins")
    command = [UV, "build", "--wheel", "--quiet", "--out-dir", folder / "dist", folder / "plugins"]
    built = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return next((folder / "dist").glob("*.whl"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Averment as it is here, with the wheel installed beside it; nothing is installed into this environment."""
    folder = tmp_path_factory.mktemp("with_plugins")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    packages = next((folder / "venv" / "lib").glob("python*/site-packages"))
    (packages / "averment_here.pth").write_text(f"{ROOT / 'src'}\n{sysconfig.get_paths()['purelib']}\n")
    python = folder / "venv" / "bin" / "python"
    command = [UV, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", python, wheel]
    added = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert added.returncode == 0, added.stderr
    (folder / "work").mkdir()
    return Installed(python, packages, folder / "work")

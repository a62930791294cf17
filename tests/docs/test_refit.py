"""Every weight that ships can be fitted again by its name, and the scripts that do so take the arguments they get."""

import ast
import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "averment"


def _refit():
    spec = importlib.util.spec_from_file_location("refit", ROOT / "scripts" / "refit.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REFIT = _refit()


def is_fitted(path: Path) -> bool:
    """Whether a file holds numbers that were fitted: binary weights, or JSON whose leaves are mostly numbers."""
    if path.suffix != ".json":
        return True
    waiting, numbers, others = [json.loads(path.read_text())], 0, 0
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict | list):
            waiting.extend(one.values() if isinstance(one, dict) else one)
        elif isinstance(one, float):
            numbers += 1
        else:
            others += 1
    return numbers > 20 and numbers > others


def test_every_shipped_weight_has_a_name() -> None:
    named = {file for files in REFIT.WEIGHTS.values() for file in files}
    shipped = {
        path.relative_to(PACKAGE).as_posix()
        for suffix in ("safetensors", "npz", "json")
        for path in PACKAGE.rglob(f"*.{suffix}")
        if is_fitted(path)
    }
    assert len(shipped) >= 4
    assert shipped - named == set()
    assert [file for file in named if not (PACKAGE / file).exists()] == []


def test_the_makefile_names_them_all() -> None:
    (line,) = (line for line in (ROOT / "Makefile").read_text().splitlines() if line.startswith("refit:"))
    assert [name for name in REFIT.WEIGHTS if name not in line] == []


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("name", ["links", "reader", "intents", "claims", "hops"])
def test_a_script_takes_the_arguments_it_gets(name: str, write: bool) -> None:
    steps = REFIT.steps_of(name, Path("data"), Path("kept"), 2, write=write)
    assert steps
    for script, *given in steps:
        path = (ROOT / "scripts" / script).resolve()
        texts = {n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant)}
        options = {one.removeprefix("--") for one in given if one.startswith("--")}
        # A script may make its options in a loop over their names.
        assert options <= {str(text).removeprefix("--") for text in texts}, script

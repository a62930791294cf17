"""The documentation builds as a site without a warning, and its made pages say what the workbench says today."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from averment.language.embeddings import MiniLmEmbedder

ROOT = Path(__file__).parents[2]
NEEDS_MODEL = pytest.mark.skipif(not MiniLmEmbedder.is_available(), reason="odds are other ones without the model")


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.timeout(300)
def test_the_site_builds_with_every_page_link_and_heading_found(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.strip()) == (0, "")
    pages = {page.relative_to(tmp_path / "site").with_suffix("") for page in (tmp_path / "site").rglob("*.html")}
    written = {page.relative_to(ROOT / "docs").with_suffix("") for page in (ROOT / "docs").rglob("*.md")}
    assert written <= pages
    assert (tmp_path / "site" / "search" / "search_index.json").is_file()


@pytest.mark.thorough
@NEEDS_MODEL
@pytest.mark.timeout(300)
def test_the_gallery_shows_what_comes_back_today() -> None:
    made = script("make_gallery").page()
    assert made.count("*Interpreted as: ") > 15 and "Choose the interpretation you mean" in made
    assert (ROOT / "docs" / "start" / "gallery.md").read_text(encoding="utf-8") == made


@NEEDS_MODEL
@pytest.mark.timeout(300)
def test_the_way_of_one_question_is_the_way_it_goes_today() -> None:
    made = script("make_one_question").page()
    assert "| failed |" not in made and "it holds" in made
    assert (ROOT / "docs" / "explain" / "one-question.md").read_text(encoding="utf-8") == made


def test_the_pictures_are_younger_than_the_templates_they_show() -> None:
    pictures = script("make_pictures")
    made = json.loads(pictures.MADE_FROM.read_text(encoding="utf-8"))
    assert made["templates"] == pictures.templates_hash(), "run: python scripts/make_pictures.py"
    assert {file.name for file in pictures.PICTURES.glob("*.png")} == set(pictures.KEPT)
    shown = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    assert all(f"pictures/{name}" in shown for name in pictures.KEPT)

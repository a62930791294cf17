"""The page of prompts shows what models are told today."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.timeout(300)
def test_the_page_of_prompts_is_what_runs_really_say() -> None:
    spec = importlib.util.spec_from_file_location("make_prompts", ROOT / "scripts" / "make_prompts.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.page()
    assert made.count("\n## ") == 13
    assert (ROOT / "docs" / "explain" / "prompts.md").read_text(encoding="utf-8") == made

"""Questions written for this project over read-me files, licences and a changelog of installed packages.

The documents are those of the environment that the recipe runs in; only the questions and their answers are kept here.
Half of the packages are fitted on, the other half is measured and never fitted on.
"""

from __future__ import annotations

import json
import shutil
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

QUESTIONS = Path(__file__).with_name("installed_questions.json")
_CHANGELOG, _LONGEST = "Changelog\n", 30_000


def installed_folder(name: str, target: Path, judge: Path) -> Path:
    """One of the two sets as a folder with its documents, questions, answers and the script that judges them."""
    made: dict[str, Any] = json.loads(QUESTIONS.read_text(encoding="utf-8"))[name]
    shutil.rmtree(target, ignore_errors=True)
    corpus = target / "corpus"
    corpus.mkdir(parents=True)
    for package in made["readmes"]:
        text, suffix = _description(distribution(package))
        (corpus / f"{package}-readme{suffix}").write_text(text, encoding="utf-8")
    for called, package, file in made["licences"]:
        place = next(one for one in distribution(package).files or () if one.name == file)
        text = Path(str(distribution(package).locate_file(place))).read_text(encoding="utf-8")
        (corpus / f"{called}-license.txt").write_text(text, encoding="utf-8")
    for package in made["changelogs"]:
        text, suffix = _description(distribution(package))
        text = text[text.index(_CHANGELOG) :][:_LONGEST]
        (corpus / f"{package}-changelog{suffix}").write_text(text, encoding="utf-8")
    shutil.copy(judge, target / "score.py")
    cases, gold = [], []
    for number, one in enumerate(made["questions"]):
        known = {"id": f"{name}{number:03d}"}
        cases.append(known | {"category": "documents", "question": one["question"]})
        gold.append(known | {"answers": one.get("answers", []), "unanswerable": "answers" not in one})
    for file, rows in (("cases.jsonl", cases), ("gold.jsonl", gold)):
        (target / file).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return target


def _description(package: Distribution) -> tuple[str, str]:
    kind = str(package.metadata.get("Description-Content-Type") or "")
    text = str(package.metadata.get_payload() or package.metadata.get("Description") or "")  # type: ignore[attr-defined]
    return text, ".md" if "markdown" in kind else ".rst"

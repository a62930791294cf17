"""A research whose sentences are too few for any section ends in words, not in an error."""

from __future__ import annotations

from pathlib import Path

from averment import Workbench

FAQ = """Frequently Asked Questions
==========================

This page answers some of the often asked questions about Quill.

Why is it called Quill?
-----------------------

The name Quill was chosen because it is the feather of a bird and the birds fly.
"""
POLICY = """# Release policy

Every project keeps a release policy. A release is made when it is ready, and a release is never made on a Friday.
The next release of the tool will be announced on the list. A release has a number and notes.
"""


def test_a_question_of_two_parts_that_nothing_answers_is_abstained_from(workbench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "faq.rst").write_text(FAQ)
    (tmp_path / "policy.md").write_text(POLICY)
    run = workbench.research(
        "Who leads Quill 4 and when will it be released?",
        corpus=[tmp_path / "faq.rst", tmp_path / "policy.md"],
        depth="quick",
    )
    assert run.status == "abstained"
    assert "No answer was found" in run.answer
    assert workbench.verify(run.id).ok

"""Sixty questions and messages out of all the wordings are answered no worse than the ratchet keeps."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "bench"))  # Behind the tests: a module there has the name of one here.

from wordings import RATCHET, SAMPLE, evaluate, smoke


@pytest.mark.timeout(900)
def test_sixty_questions_and_messages_fare_no_worse_than_before() -> None:
    fared = [(said, case) for case, said in evaluate(smoke())]
    found = Counter(said for said, _ in fared)
    kept = json.loads(RATCHET.read_text(encoding="utf-8"))["smoke"]
    assert found.total() == SAMPLE
    assert found["wrong"] <= kept["wrong"], [case for said, case in fared if said == "wrong"]
    assert found["right"] >= kept["right"], [case for said, case in fared if said in {"asked", "offered"}]

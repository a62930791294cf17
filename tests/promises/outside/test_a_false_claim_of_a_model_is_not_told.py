"""A model may ask for a comparison to be told; where the data say the opposite, no face tells it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from averment import Workbench
from averment.settings import Settings

sys.path.insert(0, str(Path(__file__).parent))
from speaking import Speaker

PAID = {"West": 900, "North": 400, "South": 100}
QUERY = 'SELECT region, SUM(amount) AS "total amount" FROM sales GROUP BY region ORDER BY 2 DESC'


MORE, LESS = "(?:more|higher|greater|over|above)", "(?:less|lower|smaller|under|below)"
FALSE = (
    f"South[^.]* {MORE}[^.]* West|{MORE}[^.]* South[^.]* than[^.]* West|{LESS}[^.]* West[^.]* than[^.]* (?:North|South)"
)


@pytest.mark.parametrize(("relation", "rows"), [("more_than", [2, 0]), ("less_than", [0, 1])])
def test_a_comparison_that_the_data_contradict_is_told_nowhere(
    model_at: Callable[[str], None], tmp_path: Path, relation: str, rows: list[int]
) -> None:
    table = tmp_path / "sales.csv"
    table.write_text("region,amount\n" + "".join(f"{name},{amount}\n" for name, amount in PAID.items()))
    asked = {"id": "claim1", "relation": relation, "column": "total amount", "rows": rows}
    speaker = Speaker()
    speaker.lie = {"sql": QUERY, "fits": True, "claims": [asked], "findings": ["claim1"]}
    model_at(speaker.url)
    try:
        with Workbench(settings=Settings(home=tmp_path / "home")) as workbench:
            run = workbench.analyze("how does each region glow", [table])
            texts = [str(run.answer), str(run.report), *(finding.text for finding in run.findings)]
            assert workbench.verify(run.id).ok
    finally:
        speaker.close()
    assert speaker.asked > 1
    assert "900" in " ".join(texts)
    assert [text for text in texts if re.search(FALSE, text)] == []

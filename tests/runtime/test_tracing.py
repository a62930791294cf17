"""Spans of runs and steps, and the log as machines read it."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from averment.faces.cli.logs import write_log
from averment.runtime.execution.tracing import start_tracing, stop_tracing
from averment.settings import Settings
from averment.workbench import Workbench
from lazily import lazily

span_exporter = lazily("opentelemetry.sdk.trace.export.in_memory_span_exporter")


def test_a_run_is_a_span_over_its_steps_and_says_nothing_of_the_question(home: Settings, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("region,amount\nNorth,10\nSouth,32\n", encoding="utf-8")
    exporter = span_exporter.InMemorySpanExporter()
    start_tracing(home, exporter)
    try:
        with Workbench(settings=home) as bench:
            run = bench.analyze("total amount by region", [table], deliverables=("summary",))
            spans = exporter.get_finished_spans()
    finally:
        stop_tracing()
    (whole,) = [span for span in spans if span.name == "run"]
    assert whole.attributes is not None
    assert whole.attributes["averment.run_id"] == run.id
    steps = [span for span in spans if span.name == "step"]
    assert {"submit", "plan", "conclude", "end"} <= {str((span.attributes or {})["averment.step"]) for span in steps}
    assert all(span.parent is not None and span.parent.span_id == whole.context.span_id for span in steps)
    assert "amount" not in "".join(span.to_json() for span in spans)


def test_the_log_for_machines_is_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("averment")
    before = (logger.handlers[:], logger.level, logger.propagate)
    try:
        write_log("json")
        try:
            raise ValueError("broken")
        except ValueError:
            logging.getLogger("averment.runtime").exception("a %s\nfailed", "step")
    finally:
        logger.handlers[:], logger.level, logger.propagate = before
    (line,) = capsys.readouterr().err.splitlines()
    told = json.loads(line)
    assert (told["level"], told["logger"], told["message"]) == ("error", "averment.runtime", "a step\nfailed")
    assert "ValueError: broken" in told["error"]

"""A run as a Jupyter notebook: cells that open the sources, run every query or code again, and check each finding.

The document is nbformat 4.5, written here. Sources are named by their file names alone; whoever opens the notebook lays
them beside it. What a research quotes travels inside, so that each quotation is looked up in the text it came from.
"""

from __future__ import annotations

import base64
import pprint
import zlib
from collections.abc import Mapping
from typing import Any

import orjson

from averment.records.base import derived_id
from averment.records.run import Evidence
from averment.reports.gate import COMPUTES, check_notebook
from averment.reports.markdown import escape
from averment.reports.recording import Recording
from averment.reports.seal import Seal

NOT_COMPUTED = frozenset({"plot.render", "search.corpus", "document.answer", "search.web", "page.read"})
"""Tools whose results no number rests on, or that ask what travels with the notebook or the outside world."""
WIDTH = 100
LINE = 76


def to_notebook(recording: Recording) -> bytes:
    """The notebook's file; the same recording gives the same bytes.

    Raises:
        UntrueClaim: it would say more than the run and its seal.
    """
    cells = [*_opening(recording), *_calls(recording), *_findings(recording), *_proof(recording.seal)]
    check_notebook((str(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"), recording)
    numbered = [
        {**cell, "id": derived_id(recording.seal.run_id, "notebook", str(number))[:8]}
        for number, cell in enumerate(cells)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    body = {
        "cells": numbered,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return orjson.dumps(body, option=orjson.OPT_INDENT_2) + b"\n"


def _opening(recording: Recording) -> list[dict[str, Any]]:
    files = {source.name: source.sha256 for source in recording.sources}
    told = [f"# {escape(recording.title)}", f"**{escape(recording.answer)}**" if recording.answer else ""]
    told += [f"{escape(line)}." for line in (recording.seal.marks.lines if recording.seal.marks else ())]
    told.append(COMPUTES + (", and the sources beside this notebook or in the folder named here." if files else "."))
    given = [f"sources={_python(files)}"] if files else []
    given += ['folder="."'] if files else []
    given += [f"read={_python(dict(recording.read))}"] if recording.read else []
    code = f"from averment.faces.notebook import Rederivation\n\nrun = Rederivation({', '.join(given)})"
    cells = [_markdown("\n\n".join(part for part in told if part)), _code(code)]
    for digest, text in recording.texts.items():
        packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
        lines = [f'    "{packed[at : at + LINE]}"' for at in range(0, len(packed), LINE)]
        cells.append(_code("\n".join([f'run.keep_text("{digest}",', *lines, ")"])))
    return cells


def _calls(recording: Recording) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = []
    for call, observation in recording.calls:
        if observation.status != "success" or call.tool_name in NOT_COMPUTED:
            continue
        arguments = dict(call.arguments)
        if call.tool_name == "sql.run":
            query, params = str(arguments.pop("query")), arguments.pop("params", [])
            more = f", {_python(params)}" if params else ""
            code = f'run.sql("{call.task_id}", {_text(query)}{more})'
        elif call.tool_name == "python.run":
            code = f'run.python("{call.task_id}", {_text(str(arguments["code"]))}, {_python(arguments["inputs"])})'
        else:
            code = f'run.call("{call.task_id}", "{call.tool_name}", {_python(arguments)})'
        cells += [_markdown(f"## {escape(call.task_id)}"), _code(code)]
    return cells


def _findings(recording: Recording) -> list[dict[str, Any]]:
    tasks = {observation.observation_id: call.task_id for call, observation in recording.calls}
    tasks |= {call.call_id: call.task_id for call, _ in recording.calls}
    cells = [_markdown("## What the report says, checked")] if recording.findings else []
    for finding in recording.findings:
        lines = [f"    {_evidence(slot.evidence, tasks)}," for slot in finding.slots.values()]
        cells.append(_code("\n".join(["run.check(", f"    {_text(finding.text)},", *lines, ")"])))
    return cells


def _evidence(evidence: Evidence, tasks: Mapping[str, str]) -> str:
    match evidence.kind:
        case "cell":
            task = tasks.get(evidence.observation_id, "")
            return f"run.cell({task!r}, {evidence.row}, {evidence.column!r}, says={evidence.value!r})"
        case "result":
            return f"run.result({tasks.get(evidence.call_id, '')!r}, {evidence.path!r}, says={evidence.value!r})"
        case "span":
            place = f"{evidence.snapshot_sha256!r}, {evidence.start}, {evidence.end}"
            return f"run.span({place}, says={evidence.quote!r})"
        case "derived":
            # What it was computed from is checked here; the function itself is checked by ``averment verify``.
            return ",\n    ".join(_evidence(each, tasks) for each in evidence.of)


def _proof(seal: Seal) -> list[dict[str, Any]]:
    told = ["## Proof", f"Run `{seal.run_id}`; on the machine that holds it: `averment verify {seal.run_id}`."]
    if seal.run_root is not None:
        told.append(f"Root over the run's ledger entries: `{seal.run_root}`.")
    if seal.checkpoint is not None:
        told.append(f"Signed checkpoint of the ledger:\n\n```\n{seal.checkpoint.strip()}\n```")
    return [_markdown("\n\n".join(told))]


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(text: str) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": text}


def _python(value: Any) -> str:
    """A JSON-like value as Python, on as few lines as fit."""
    return pprint.pformat(value, width=WIDTH, sort_dicts=True)


def _text(text: str) -> str:
    """A text as a Python literal; one with lines keeps them readable where it safely can."""
    plain = '"""' not in text and "\\" not in text and not text.endswith('"') and text.replace("\n", "").isprintable()
    if plain and "\n" in text:
        return f'"""{text}"""'
    return f'"{text}"' if plain and '"' not in text else repr(text)

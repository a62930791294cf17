"""``averment watch metrics.toml``: test saved metrics against their expected range, and drill where one is outside."""

from __future__ import annotations

import json
import os
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from averment.faces.cli.options import json_option, open_workbench
from averment.faces.cli.output import echo, emit_json
from averment.records.base import picked

if TYPE_CHECKING:
    from averment.agents.driller.watch import MetricCheck, Notify
    from averment.workbench import Workbench

_SECONDS = {"day": 86_400, "hour": 3_600}
_WEBHOOK_SECONDS = 10


@click.command()
@click.argument("metrics", type=click.Path(exists=True, dir_okay=False))
@click.option("--every", type=click.Choice(list(_SECONDS)), help="Keep running, and check again every day or hour.")
@json_option
@click.pass_context
def watch(context: click.Context, metrics: str, every: str | None, as_json: bool) -> int:
    """Check saved metrics against the range expected from their history, and drill into those outside it.

    METRICS is a TOML file: [[metric]] with name, files, sql and every (day, week or month); [[event]] with day and
    note; [notify] with file, webhook or mail. A period that was already checked is not drilled again.
    """
    workbench = open_workbench(context)
    while True:
        digest = _look_around(workbench, Path(metrics))
        if as_json:
            emit_json(digest)
        else:
            echo(_text(digest))
        if every is None:
            return 0
        time.sleep(_SECONDS[every])


def _look_around(workbench: Workbench, path: Path) -> dict[str, Any]:
    from averment.agents.driller.watch import look_at, read_watch_file
    from averment.errors import AvermentError

    given = read_watch_file(path)
    home = Path(workbench.settings.home)
    history = home / "watch" / f"{path.stem}.jsonl"
    seen = _seen(history)
    lines: list[dict[str, Any]] = []
    for metric in given.metric:
        try:
            look = look_at(metric, workbench.settings, home / "cache" / "tables", given.event)
        except AvermentError as error:
            lines.append({"metric": metric.name, "error": error.message})
            continue
        if look is None:
            lines.append({"metric": metric.name, "error": "The data does not contain two complete periods."})
            continue
        line = _line(look)
        if look.outside:
            known = seen.get(look.run_id)
            line["answer"] = known if known is not None else _drill(workbench, look)
            line["run_id"] = look.run_id
            if known is None:
                _remember(history, line)
        lines.append(line)
    digest: dict[str, Any] = {"metrics": lines, "outside": sum(1 for line in lines if line.get("outside"))}
    if unsent := _notify(given.notify, path.parent, digest, history):
        digest["not_sent"] = unsent
    return digest


def _line(look: MetricCheck) -> dict[str, Any]:
    return {
        "metric": look.metric.name,
        "unit": look.metric.unit,
        "from": look.period[0].isoformat(),
        "to": look.period[1].isoformat(),
        **picked(look, "value", "expected", "low", "high", "outside"),
        "notes": list(look.notes),
    }


def _drill(workbench: Workbench, look: MetricCheck) -> str:
    """The answer of the drill for a look; one that was begun before goes on where it stopped, or is shown as it is."""
    from averment.errors import AvermentError, RunNotFound

    try:
        return workbench.runs.resume(look.run_id).answer or ""
    except RunNotFound:
        pass
    except AvermentError as error:
        return error.message
    try:
        run = workbench.drill(
            list(look.metric.files),
            metric_sql=look.metric.sql,
            metric_name=look.metric.name,
            metric_unit=look.metric.unit or None,
            baseline=look.before,
            comparison=look.period,
            run_id=look.run_id,
        )
    except AvermentError as error:
        return error.message
    return run.answer or ""


def _seen(history: Path) -> dict[str, str]:
    if not history.exists():
        return {}
    return {str(row["run_id"]): str(row["answer"]) for row in _rows(history) if "answer" in row}


def _rows(history: Path) -> list[dict[str, Any]]:
    """What was kept; a line that a crash cut off is as if it had never been begun."""
    found: list[dict[str, Any]] = []
    for line in history.read_text(encoding="utf-8").splitlines() if history.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def _remember(history: Path, line: dict[str, Any]) -> None:
    history.parent.mkdir(parents=True, exist_ok=True)
    whole = not history.exists() or history.read_bytes().endswith(b"\n") or not history.stat().st_size
    with history.open("a", encoding="utf-8") as stream:
        stream.write(("" if whole else "\n") + json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n")
        stream.flush()
        os.fsync(stream.fileno())


def _notify(notify: Notify, folder: Path, digest: dict[str, Any], history: Path) -> list[str]:
    """Send the digest where it is wanted, once for each period outside; what could not be sent, with the reason."""
    if notify.file:
        (folder / notify.file).write_text(_text(digest) + "\n", encoding="utf-8")
    unsent: list[str] = []
    sent = {(str(row["run_id"]), str(row["sent"])) for row in _rows(history) if "sent" in row}
    for name, wanted, send in (("webhook", notify.webhook, _post), ("mail", notify.mail, _mail)):
        outside = [str(line["run_id"]) for line in digest["metrics"] if line.get("outside")]
        news = [run_id for run_id in outside if (run_id, name) not in sent]
        if wanted and news:
            try:
                send(notify, digest)
            except OSError as error:  # the errors of mail and of web addresses are among them
                unsent.append(f"The {name} was not sent: {error}.")
                continue
            for run_id in news:
                _remember(history, {"run_id": run_id, "sent": name})
    return unsent


def _post(notify: Notify, digest: dict[str, Any]) -> None:
    body = json.dumps(digest, ensure_ascii=False).encode()
    address = notify.webhook or ""
    request = urllib.request.Request(address, data=body, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=_WEBHOOK_SECONDS):
        pass


def _mail(notify: Notify, digest: dict[str, Any]) -> None:
    """The digest as a plain mail to everybody named."""
    import smtplib
    from email.message import EmailMessage

    message = EmailMessage()
    outside = [str(one["metric"]) for one in digest["metrics"] if one.get("outside")]
    message["Subject"] = f"Outside the expected range: {', '.join(outside)}"
    message["From"], message["To"] = notify.sender, ", ".join(notify.mail)
    message.set_content(_text(digest))
    host, _, port = notify.relay.partition(":")
    with smtplib.SMTP(host, int(port or 25), timeout=_WEBHOOK_SECONDS) as relay:
        relay.send_message(message)


def _text(digest: dict[str, Any]) -> str:
    """The digest in words, one metric a line, what is outside with its answer."""
    lines: list[str] = []
    for one in digest["metrics"]:
        if "error" in one:
            lines.append(f"{one['metric']}: {one['error']}")
            continue
        value = f"{one['value']:,.6g} {one['unit']}".strip()
        span = f"{one['from']} to {one['to']}"
        if one["low"] is None:
            lines.append(f"{one['metric']}, {span}: {value}; there is too little history for an expected range.")
            continue
        band = f"{one['low']:,.6g} to {one['high']:,.6g}"
        state = "outside" if one["outside"] else "within"
        lines.append(f"{one['metric']}, {span}: {value}, {state} the expected range {band}.")
        lines += [f"  known: {note}" for note in one["notes"]]
        if one.get("answer"):
            lines.append(f"  {one['answer']}")
    return "\n".join([*lines, *digest.get("not_sent", ())])

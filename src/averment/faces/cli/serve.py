"""``averment serve``."""

from __future__ import annotations

import click

from averment.faces.cli.options import load_settings


@click.command()
@click.option("--host", help="Address to listen on (default 127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65_535), help="Port to listen on (default 8765; 0 picks a free port).")
@click.option(
    "--workers",
    type=click.IntRange(0, 64),
    help="Worker processes that execute runs; 0 leaves them to workers started elsewhere (default: none, the "
    "server executes them itself).",
)
@click.option("--open", "browser", is_flag=True, help="Open the page in a browser.")
@click.pass_context
def serve(context: click.Context, host: str | None, port: int | None, workers: int | None, browser: bool) -> int:
    """Serve the workbench over HTTP on this machine."""
    from averment.faces.cli.logs import write_log
    from averment.faces.cli.worker_processes import worker_processes
    from averment.faces.http.server import serve as serve_http
    from averment.workbench import Workbench

    runs_on = None if workers is None else "workers"
    settings = load_settings(context, http_host=host, http_port=port, runs_on=runs_on)
    write_log(settings.log_format)
    with worker_processes(settings.home, workers or 0), Workbench(settings=settings) as workbench:
        return serve_http(workbench, browser=browser)

"""``GET /metrics``: what a Prometheus server reads; and the clock that every request passes.

The figures about runs and workers come from the database at the moment of asking, so that every front of one database
says the same; those about requests are this process's own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from averment.errors import MissingExtra
from averment.faces.http.access import Routes
from averment.workbench import Workbench

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

router = Routes(tags=["about"])


class Metrics:
    """The figures of one server."""

    def __init__(self, workbench: Workbench) -> None:
        from prometheus_client import CollectorRegistry, Histogram

        self._workbench = workbench
        self.registry = CollectorRegistry()
        self.seconds = Histogram(
            "averment_http_seconds", "Time to answer a request.", ("method", "route", "status"), registry=self.registry
        )
        self.registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """The runs by kind and status, and the workers with what they carry out now."""
        from prometheus_client.core import GaugeMetricFamily

        runs = GaugeMetricFamily("averment_runs", "Runs kept, by kind and status.", labels=("kind", "status"))
        for (kind, status), number in sorted(self._workbench.home.counts().items()):
            runs.add_metric((kind, status), number)
        yield runs
        workers = self._workbench.home.workers()
        yield GaugeMetricFamily("averment_workers", "Processes that execute runs.", value=len(workers))
        running = sum(worker.running for worker in workers)
        yield GaugeMetricFamily("averment_runs_running", "Runs that workers are executing now.", value=running)

    def describe(self) -> Iterator[Metric]:
        """Nothing ahead of time: what there is depends on the database."""
        return iter(())


def metrics_of(workbench: Workbench) -> Metrics | None:
    """The figures of a server, where the package for them is installed."""
    try:
        return Metrics(workbench)
    except ImportError:
        return None


class Clock:
    """Times every request by its route, so that the ids in addresses make no new series."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, timed until its answer has ended."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500
        began = time.perf_counter()

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            route: Any = scope.get("route")
            labels = (scope["method"], getattr(route, "path", "other"), str(status))
            self._metrics.seconds.labels(*labels).observe(time.perf_counter() - began)


@router.looks("/metrics", None, 501, responses={200: {"content": {"text/plain": {}}}}, operation_id="metrics")
async def show_metrics(request: Request) -> Response:
    """Prometheus metrics of runs, workers and requests."""
    metrics: Metrics | None = request.app.state.metrics
    if metrics is None:
        raise MissingExtra("Metrics require a package that is not installed.", hint="Install averment[telemetry].")
    from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

    body = await run_in_threadpool(generate_latest, metrics.registry)
    return Response(body, media_type=CONTENT_TYPE_LATEST)

"""Traces: a span for each run and each of its steps, sent to whatever speaks OTLP, where one is set.

Without an address, or without the packages, nothing is recorded and nothing is loaded. Spans carry ids, kinds and
names of steps; never a question, a value or a document.
"""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from averment.errors import MissingExtra
from averment.settings import Settings
from averment.version import VERSION

_log = logging.getLogger("averment.runtime")
_tracers: list[Any] = []


def start_tracing(settings: Settings, exporter: Any = None) -> None:
    """Send spans to the settings' address, or to the given exporter, from now on; doing it again changes nothing.

    Raises:
        MissingExtra: an address is set and the packages are not installed.
    """
    if _tracers or (settings.traces_url is None and exporter is None):
        return
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

        if exporter is None:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

            processor: Any = BatchSpanProcessor(OTLPSpanExporter(endpoint=settings.traces_url))
        else:
            processor = SimpleSpanProcessor(exporter)
    except ImportError as error:
        raise MissingExtra(
            "Tracing requires packages that are not installed.", hint="Install averment[telemetry]."
        ) from error
    provider = TracerProvider(resource=Resource.create({"service.name": "averment", "service.version": VERSION}))
    provider.add_span_processor(processor)
    _tracers[:] = [provider.get_tracer("averment"), provider]


def stop_tracing() -> None:
    """Send what is waiting, and record nothing more."""
    if _tracers:
        _tracers[1].shutdown()
        _tracers.clear()


@contextmanager
def span(name: str, **attributes: str) -> Generator[None]:
    """A span around the block; an error that leaves it is noted by its kind alone."""
    if not _tracers:
        yield
        return
    with _tracers[0].start_as_current_span(name, record_exception=False, set_status_on_exception=False) as current:
        for key, value in attributes.items():
            current.set_attribute(f"averment.{key}", value)
        try:
            yield
        except BaseException as error:
            current.set_attribute("error.type", type(error).__name__)
            raise

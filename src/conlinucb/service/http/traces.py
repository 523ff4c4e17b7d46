"""Spans for OpenTelemetry: one for each request, and in it one for each call of the store.

Only where the extra ``telemetry`` is installed and the environment names a collector. Our own few
lines, since ready-made layers put the address into a span, which has people's names.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from starlette.types import Scope

if TYPE_CHECKING:
    from opentelemetry.trace import Span, TracerProvider

_NAMES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""Variables that say where spans go; without any of them there are none."""
_STORE = "store_seconds"


class Traces:
    """Makes spans, of requests by itself, of the store as an observer."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("conlinucb")

    @contextmanager
    def request(self, scope: Scope) -> Iterator[Span]:
        """A span around a request, inside the caller's where there is one."""
        from opentelemetry.propagate import extract
        from opentelemetry.trace import SpanKind

        sent = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        told = {each: sent[each] for each in ("traceparent", "tracestate") if each in sent}
        with self._tracer.start_as_current_span(
            "request",
            context=extract(told) if told else None,
            kind=SpanKind.SERVER,
            record_exception=False,  # its text may quote anything
        ) as span:
            yield span

    def time(self, name: str, seconds: float, **labels: str) -> None:
        """A call of the store has just ended: a span within that of its request."""
        from opentelemetry.trace import SpanKind, get_current_span

        if name == _STORE and get_current_span().is_recording():
            ended = time.time_ns()
            started = ended - int(seconds * 1e9)
            span = self._tracer.start_span(
                f"store {labels['operation']}", kind=SpanKind.CLIENT, start_time=started
            )
            span.end(ended)

    def count(self, name: str, value: float = 1, **labels: str) -> None:
        """Counts are for metrics."""

    def measure(self, name: str, value: float, **labels: str) -> None:
        """So are sizes."""

    def level(self, name: str, value: float, **labels: str) -> None:
        """And levels."""

    def close(self) -> None:
        """Send what is left."""
        shutdown = getattr(self._provider, "shutdown", None)
        if shutdown is not None:
            shutdown()


def note(span: Span, line: dict[str, Any]) -> None:
    """Name a request's span by its route, with what the access log says of it."""
    span.update_name(f"{line['method']} {line['route']}")
    span.set_attributes(
        {
            "http.request.method": line["method"],
            "http.route": line["route"],
            "http.response.status_code": line["status"],
            "conlinucb.caller": line["caller"],
        }
    )
    if line["status"] >= 500:
        from opentelemetry.trace import StatusCode

        span.set_status(StatusCode.ERROR)


def traces_from_environment() -> Traces | None:
    """Spans to the collector that the environment names; None without the extra, or without one."""
    if not any(os.environ.get(each) for each in _NAMES) or _is_off():
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        return None
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Traces(provider)


def _is_off() -> bool:
    disabled = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    return disabled or os.environ.get("OTEL_TRACES_EXPORTER", "").lower() == "none"

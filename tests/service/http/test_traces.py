"""Spans of requests and of the store: by route, inside the caller's, with nobody's name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from conlinucb.service.config import ServiceConfig
from conlinucb.service.http.app import create_app
from conlinucb.service.http.traces import Traces, traces_from_environment
from conlinucb.service.storage import MEMORY
from support.service_door import add_route, fail
from support.service_world import wait_until_ready

NAME = "ann-of-the-traces"
CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture(scope="module")
def exported() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture(scope="module")
def traced(exported: InMemorySpanExporter) -> Iterator[TestClient]:
    """A client of a service whose spans are kept in memory."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exported))
    app = create_app(ServiceConfig(database=MEMORY), traces=Traces(provider))
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        wait_until_ready(client)
        yield client


def _of_request(exported: InMemorySpanExporter) -> tuple[ReadableSpan, list[ReadableSpan]]:
    """The last request's span, and those inside it."""
    spans = exported.get_finished_spans()
    outer = [each for each in spans if each.kind is SpanKind.SERVER][-1]
    assert outer.context is not None
    inner = [each for each in spans if each.parent and each.parent.span_id == outer.context.span_id]
    return outer, inner


def test_a_request_is_a_span_with_the_store_inside(
    traced: TestClient, exported: InMemorySpanExporter
) -> None:
    traced.post(f"/v1/users/{NAME}/next", headers={"traceparent": CALLER}).raise_for_status()
    outer, inner = _of_request(exported)
    assert outer.name == "POST /v1/users/{user}/next"
    assert outer.attributes is not None
    assert outer.attributes["http.route"] == "/v1/users/{user}/next"
    assert outer.attributes["http.response.status_code"] == 200
    assert outer.parent is not None
    assert f"{outer.parent.trace_id:032x}" == CALLER.split("-")[1]
    assert {"store append", "store add person"} <= {each.name for each in inner}
    for each in inner:
        assert each.start_time is not None
        assert outer.start_time is not None
        assert each.start_time >= outer.start_time - 5_000_000  # two clocks
    everything = "".join(each.to_json() for each in exported.get_finished_spans())
    assert NAME not in everything


def test_a_failure_is_marked_and_its_text_left_out(
    traced: TestClient, exported: InMemorySpanExporter
) -> None:
    add_route(traced, "/v1/broken", fail)
    assert traced.get("/v1/broken").status_code == 500
    outer, _ = _of_request(exported)
    assert outer.status.status_code is StatusCode.ERROR
    assert not outer.events
    assert not outer.status.description


def test_without_a_collector_in_the_environment_there_are_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    assert traces_from_environment() is None
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert traces_from_environment() is None

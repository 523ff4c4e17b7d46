"""A server whose environment names a collector sends its spans there."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from support.service_world import serving
from support.soak import wait_for

pytestmark = pytest.mark.more
NAME = "ann-of-the-collector"


class Collector(ThreadingHTTPServer):
    """Keeps what it is sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Receiver)
        self.bodies: list[bytes] = []

    def names(self) -> set[str]:
        """Of all spans so far."""
        requests = [ExportTraceServiceRequest.FromString(each) for each in list(self.bodies)]
        return {
            span.name
            for each in requests
            for resource in each.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        }


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        assert isinstance(self.server, Collector)
        self.server.bodies.append(body)
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_spans_arrive_with_routes_and_without_names(tmp_path: Path, collector: Collector) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    there = f"http://127.0.0.1:{collector.server_address[1]}"
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": there, "OTEL_BSP_SCHEDULE_DELAY": "200"}
    wanted = {"POST /v1/users/{user}/next", "store append"}
    with serving(url, **environment) as server, server.client() as client:
        client.post(f"/v1/users/{NAME}/next").raise_for_status()
        wait_for(lambda: wanted <= collector.names(), "spans")
    assert NAME.encode() not in b"".join(collector.bodies)

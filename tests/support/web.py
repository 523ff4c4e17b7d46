"""A small web server on this machine that misbehaves as told, and a small data set to fetch."""

from __future__ import annotations

import contextlib
import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from conlinucb.datasets.files import Published

CONTENT = {
    "pairs.dat": b"user\titem\r\n" + b"".join(b"%d\t%d\r\n" % (i, i * i) for i in range(20_000)),
    "names.dat": b"id\tname\r\n1\tcaf\xe9\r\n",
    "notes.txt": b"Some notes.\r\n",
}


def tiny(**changes: object) -> Published:
    """A data set with two needed files and one that is merely known."""
    values = {
        "name": "tiny",
        "title": "Tiny",
        "folder": "tiny-set",
        "url": "https://unreachable.invalid/tiny.zip",
        "needed": ("pairs.dat", "names.dat"),
        "sums": {file: hashlib.sha256(data).hexdigest() for file, data in CONTENT.items()},
        "licence": "For tests.",
        "citation": "Nobody: Nothing.",
    }
    return Published(**(values | changes))  # type: ignore[arg-type]


def zipped(files: Mapping[str, bytes], *, folder: str = "", deflate: bool = False) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED if deflate else 0) as archive:
        for name, data in files.items():
            archive.writestr(folder + name, data)
    return buffer.getvalue()


class Server(ThreadingHTTPServer):
    """Serves one body; the attributes say how, ``requests`` what came and ``sent`` what went."""

    def __init__(self, body: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.body, self.status, self.length = body, 200, True
        self.cut: list[int] = []
        """For each answer in turn, after how many bytes to close; then never."""
        self.stalled: threading.Event | None = None
        """What an answer that is cut waits for before it closes."""
        self.location: str | None = None
        self.requests: list[dict[str, str]] = []
        self.sent: list[int] = []
        self.guard = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/tiny.zip"


class Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = 20

    def do_GET(self) -> None:
        with self.server.guard:
            self.server.requests.append(dict(self.headers.items()))
            cut = self.server.cut.pop(0) if self.server.cut else None
        if self.server.location:
            self.answer(302, b"", {"Location": self.server.location})
        elif self.server.status != 200:
            self.answer(self.server.status, b"no", {})
        else:
            self.answer(200, self.server.body, {}, cut)

    def answer(
        self, status: int, body: bytes, headers: dict[str, str], cut: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if self.server.length:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body[:cut])
        self.server.sent.append(len(body[:cut]))
        if self.server.stalled and cut is not None:
            self.server.stalled.wait(20)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def serving(body: bytes) -> Iterator[Server]:
    with Server(body) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join(timeout=20)

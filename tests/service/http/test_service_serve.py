"""``conlinucb serve``: what it refuses, how real servers come up, and their way out."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from conlinucb.cli.main import main
from conlinucb.service.config import KEY, SHORTEST_KEY
from conlinucb.service.storage import MEMORY
from support.service_door import SECRET
from support.service_world import Server, free_port

# The command


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """``conlinucb serve`` in this process, which must be refused; what it says."""
    monkeypatch.delenv(KEY, raising=False)
    monkeypatch.delenv("CONLINUCB_DATABASE", raising=False)

    def run(*options: str) -> str:
        def bind(self: Any) -> None:
            raise AssertionError(f"{options} were taken")

        monkeypatch.setattr("uvicorn.Config.bind_socket", bind)
        monkeypatch.setattr(sys, "argv", ["conlinucb", "serve", *options])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code not in (0, None)
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return said.err

    return run


def test_serving_everyone_without_a_key_is_refused(command: Callable[..., str]) -> None:
    port = free_port()
    said = command("--host", "0.0.0.0", "--port", str(port), "--database", MEMORY)
    assert KEY in said
    assert "0.0.0.0" in said
    assert not _listens(port)


def test_a_short_key_is_refused(
    command: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "short-and-sweet")
    said = command("--host", "0.0.0.0", "--database", MEMORY)
    assert str(SHORTEST_KEY) in said
    assert "short-and-sweet" not in said


@pytest.mark.parametrize("database", [MEMORY, "sqlite:///:memory:", "sqlite:///"])
def test_memory_has_one_process(command: Callable[..., str], database: str) -> None:
    port = str(free_port())
    said = command("--database", database, "--workers", "2", "--port", port)
    assert "--workers 1" in said


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--port", "70000"], "port"),
        (["--port", "-1"], "port"),
        (["--workers", "0"], "workers"),
        (["--workers", "65"], "workers"),
        (["--database", "mysql://here/there"], "postgresql://"),
        (["--database", "nonsense"], "sqlite:///PATH"),
        (["--config", "nowhere.toml"], "nowhere.toml"),
        (["--host", "no.such.host.invalid"], KEY),
    ],
)
def test_bad_options(command: Callable[..., str], options: list[str], says: str) -> None:
    assert says in command(*options)


# Real servers: coming up and going down


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'service.db'}"


def _workers(pid: int) -> set[int]:
    """The worker processes of a server."""
    found = set()
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = (each / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == pid and b"spawn_main" in (each / "cmdline").read_bytes():
                found.add(int(each.name))
    return found


def _runs(pid: int) -> bool:
    """Whether a process is there, and not only its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def _started(server: Server) -> Iterator[Server]:
    """A server that is killed in the end with all its processes, should there be any."""
    try:
        yield server
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.process.pid, signal.SIGKILL)
        server.process.communicate()


def _sent(port: int, head: str, *headers: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    lines = [head, f"Host: 127.0.0.1:{port}", f"Authorization: Bearer {SECRET}", *headers]
    connection.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode())
    return connection


def _stop_in_the_middle(server: Server, stop: Callable[[], None]) -> str:
    """The answer to a request whose body comes when the server is already stopping."""
    body = b'{"ask": "never", "k": 3}'
    kind = ("Content-Type: application/json", f"Content-Length: {len(body)}")
    idle = _sent(server.port, "GET /healthz HTTP/1.1")
    assert idle.recv(1000).startswith(b"HTTP/1.1 200")
    begun = _sent(server.port, "POST /v1/users/ann/next HTTP/1.1", *kind, "Expect: 100-continue")
    with idle, begun:
        assert begun.recv(1000).startswith(b"HTTP/1.1 100")  # a route waits for the body
        stop()
        while idle.recv(1000):
            pass  # a server that stops closes connections on which nothing happens
        begun.sendall(body)
        answer = b""
        while piece := begun.recv(65536):
            answer += piece
    return answer.decode()


def _check_stopped(server: Server, answer: str) -> str:
    assert answer.startswith("HTTP/1.1 200"), answer
    assert '"decision":"d1"' in answer
    log = server.process.communicate(timeout=60)[1]
    assert server.process.returncode == 0, log
    assert "Traceback" not in log
    assert not _listens(server.port)
    return log


def test_sigterm_lets_what_has_begun_finish_and_the_log_keeps_secrets(database: str) -> None:
    wrong = SECRET.replace("7", "8")
    with _started(Server(database, CONLINUCB_KEY=SECRET)) as server:
        server.wait()
        with server.client() as client:
            for key in (SECRET, wrong):
                client.headers["authorization"] = f"Bearer {key}"
                for path in ("answers", "rewards", "nowhere", "%00"):
                    client.post(f"/v1/users/magdalena/{path}", json={"question": SECRET})
            assert client.get("/v1/catalogues").status_code == 401
        _check_second(database, server.port)
        log = _check_stopped(server, _stop_in_the_middle(server, server.process.terminate))
    assert SECRET not in log
    assert wrong not in log
    assert "magdalena" not in log


def _check_second(database: str, port: int) -> None:
    """Another server on the same port says so and ends; the first one goes on."""
    with _started(Server(database, port=port, CONLINUCB_KEY=SECRET)) as second:
        said = second.process.communicate(timeout=60)[1]
    assert second.process.returncode not in (0, None)
    assert f"127.0.0.1:{port} cannot be bound to" in said
    assert "Traceback" not in said
    assert httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200


@pytest.mark.more
def test_control_c_lets_what_has_begun_finish(database: str) -> None:
    with _started(Server(database)) as server:
        server.wait()
        group = server.process.pid  # a terminal tells all processes
        answer = _stop_in_the_middle(server, lambda: os.killpg(group, signal.SIGINT))
        _check_stopped(server, answer)


@pytest.mark.more
def test_a_killed_worker_is_replaced_and_a_killed_parent_leaves_no_orphan(database: str) -> None:
    with _started(Server(database, workers=2)) as server:
        server.wait()
        _until(lambda: len(_workers(server.process.pid)) == 2)
        killed = min(_workers(server.process.pid))
        os.kill(killed, signal.SIGKILL)
        _until(lambda: len(_workers(server.process.pid) - {killed}) == 2)
        server.wait()
        with server.client() as client:
            assert client.post("/v1/users/ann/next").status_code == 200
        _kill_parent(server)


@pytest.mark.more
def test_a_parent_killed_during_the_start_leaves_no_orphan(database: str) -> None:
    with _started(Server(database)) as server:
        _until(lambda: len(_workers(server.process.pid)) == 1)
        _kill_parent(server)


def _kill_parent(server: Server) -> None:
    workers = _workers(server.process.pid)
    assert workers
    os.kill(server.process.pid, signal.SIGKILL)
    _until(lambda: not any(map(_runs, workers)), seconds=30)
    assert not _listens(server.port)


@pytest.mark.more
def test_a_replaced_worker_leaves_what_was_set_meanwhile(database: str, tmp_path: Path) -> None:
    config = tmp_path / "service.toml"
    config.write_text(
        "[catalogues.films]\ndemo = true\n[catalogues.films.settings]\nmax_questions = 10\n"
        "[catalogues.other]\ndemo = true\n"
    )
    with _started(Server(database, config=config)) as server:
        server.wait()
        with server.client() as client:
            wanted = {"max_questions": 3}
            assert client.put("/v1/catalogues/films/settings", json=wanted).status_code == 200
            assert client.delete("/v1/catalogues/other").status_code == 204
        (killed,) = _workers(server.process.pid)
        os.kill(killed, signal.SIGKILL)
        _until(lambda: len(_workers(server.process.pid) - {killed}) == 1)
        server.wait()
        with server.client() as client:
            found = {each["catalogue"]: each for each in client.get("/v1/catalogues").json()}
            assert set(found) == {"films"}
            assert found["films"]["settings"]["max_questions"] == 3
        server.stop()

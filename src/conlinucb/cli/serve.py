"""The command ``conlinucb serve``."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conlinucb.cli.database import Config, Database, need_service
from conlinucb.errors import InvalidInput, StorageError

if TYPE_CHECKING:
    from conlinucb.service.storage import Storage


def serve(
    config: Config = None,
    database: Database = None,
    host: Annotated[
        str | None, typer.Option(help="Address to bind to.", show_default="127.0.0.1")
    ] = None,
    port: Annotated[int | None, typer.Option(show_default="8000")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes.", show_default="1")] = None,
) -> None:
    """Serve conversations over HTTP. Without a configuration, about the demo films."""
    need_service()
    import uvicorn

    from conlinucb.service.config import KEY, PREPARED, SERVICE, key_from_environment, read_config
    from conlinucb.service.http.supervisor import Supervisor
    from conlinucb.service.http.timeouts import RequestTimeoutProtocol
    from conlinucb.service.storage import Storage

    settings = read_config(config, database=database, host=host, port=port, workers=workers)
    storage = Storage(settings.database)  # refuses what is no database
    stored = _has_key(storage) if KEY not in os.environ else False
    key = key_from_environment(settings, stored=stored)
    found = storage.database
    if found.is_memory and settings.workers > 1:
        raise InvalidInput("A database in memory has one process: use --workers 1, or a file.")
    os.environ[SERVICE] = settings.model_dump_json()
    # Requests share the cores among them; a matrix product that takes all of them slows both.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    server = uvicorn.Config(
        "conlinucb.service.http.app:from_environment",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        http=RequestTimeoutProtocol,
        access_log=False,  # addresses hold people's names
        log_level="warning",
        server_header=False,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=settings.drain_seconds,
        timeout_worker_healthcheck=60,
        backlog=2048,
    )
    try:
        socket = server.bind_socket()
    except SystemExit:
        raise InvalidInput(f"{settings.host}:{settings.port} cannot be bound to.") from None
    where = f"http://{settings.host}:{socket.getsockname()[1]}"
    guarded = "with a key" if key or stored else "without a key, for this machine only"
    typer.echo(f"conlinucb serves {', '.join(settings.catalogues)} at {where}, {guarded}.")
    typer.echo(f"database: {found.place}. Ctrl-C stops it.")
    # Supervised even when there is one worker: one that dies is replaced.
    with tempfile.TemporaryDirectory(prefix="conlinucb-") as folder:
        os.environ[PREPARED] = str(Path(folder) / "prepared")
        Supervisor(server, sockets=[socket]).run()


def _has_key(storage: Storage) -> bool:
    """Whether a key of the database opens something; not where it does not answer."""
    from conlinucb.service.storage import migrate, now

    try:
        if migrate.current(storage.database) is None:
            return False
        return any(each.is_live(now()) for each in storage.keys.all())
    except StorageError:
        return False

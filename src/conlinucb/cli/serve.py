"""The command ``conlinucb serve``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conlinucb.cli.check_config import check_config as check
from conlinucb.cli.database import Config, has_key, need_service, open_database
from conlinucb.cli.setting_options import with_settings
from conlinucb.errors import InvalidInput

if TYPE_CHECKING:
    from conlinucb.service.config import ServiceConfig


@with_settings
def serve(
    config: Config = None,
    check_config: Annotated[
        bool,
        typer.Option("--check-config", help="Say which settings are in effect, and stop."),
    ] = False,
    **settings: Any,
) -> None:
    """Serve conversations over HTTP. Without a configuration, about the demo films."""
    need_service()
    if check_config:
        return check(config, settings)
    from conlinucb.service.config import key_from_environment, read_config

    found = read_config(config, **settings)
    stored = has_key(found)
    key = key_from_environment(found, stored=stored)
    return _run(found, guarded=stored or key is not None)


def _run(settings: ServiceConfig, *, guarded: bool) -> None:
    import uvicorn

    from conlinucb.service.config import METRICS, PREPARED, SERVICE
    from conlinucb.service.http.connections import Connection
    from conlinucb.service.http.limits import allow_open_files
    from conlinucb.service.http.logs import set_up
    from conlinucb.service.http.supervisor import Supervisor
    from conlinucb.service.http.temporary import own_folder

    found = open_database(settings)
    os.environ[SERVICE] = settings.model_dump_json()
    set_up(settings.log_format)
    # Requests share the cores among them; a matrix product that takes all of them slows both.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    allow_open_files(settings.most_connections)
    server = uvicorn.Config(
        "conlinucb.service.http.app:from_environment",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        http=Connection,
        access_log=False,  # addresses hold people's names
        log_level="warning",
        log_config=None,  # as all other logs
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
    how = "with a key" if guarded else "without a key, for this machine only"
    typer.echo(f"conlinucb serves {', '.join(settings.catalogues)} at {where}, {how}.")
    typer.echo(f"database: {found.place}. Ctrl-C stops it.")
    # Supervised even when there is one worker: one that dies is replaced.
    with own_folder() as folder:
        os.environ[PREPARED] = str(folder / "prepared")
        os.environ[METRICS] = str(folder / "metrics")
        (folder / "metrics").mkdir()
        os.environ["TMPDIR"] = str(folder)  # what workers leave when they are killed is in it
        Supervisor(server, [socket], lame_duck_seconds=settings.lame_duck_seconds).run()

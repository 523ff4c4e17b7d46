"""The commands ``conlinucb serve`` and ``conlinucb db``."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conlinucb.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from conlinucb.service.check import Checked, Checker
    from conlinucb.service.storage import Storage

db_app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="The service's database: upgrade, check, rebuild.",
)
Config = Annotated[Path | None, typer.Option(help="A TOML file.", metavar="FILE")]
Database = Annotated[
    str | None,
    typer.Option(
        help="sqlite:///PATH or postgresql://USER@HOST/NAME; also CONLINUCB_DATABASE.",
        show_default="sqlite:///conlinucb.db",
    ),
]


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
    _need_service()
    import uvicorn

    from conlinucb.service.config import PREPARED, SERVICE, key_from_environment, read_config
    from conlinucb.service.patience import Impatient
    from conlinucb.service.storage import Storage
    from conlinucb.service.supervisor import Supervisor

    settings = read_config(config, database=database, host=host, port=port, workers=workers)
    key = key_from_environment(settings)
    found = Storage(settings.database).database  # refuses what is no database
    if found.is_memory and settings.workers > 1:
        raise InvalidInput("A database in memory has one process: use --workers 1, or a file.")
    os.environ[SERVICE] = settings.model_dump_json()
    # Requests share the cores among them; a matrix product that takes all of them slows both.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    server = uvicorn.Config(
        "conlinucb.service.app:from_environment",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        http=Impatient,
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
    guarded = "with a key" if key else "without a key, for this machine only"
    typer.echo(f"conlinucb serves {', '.join(settings.catalogues)} at {where}, {guarded}.")
    typer.echo(f"database: {found.place}. Ctrl-C stops it.")
    # Supervised even when there is one worker: one that dies is replaced.
    with tempfile.TemporaryDirectory(prefix="conlinucb-") as folder:
        os.environ[PREPARED] = str(Path(folder) / "prepared")
        Supervisor(server, sockets=[socket]).run()


def _need_service() -> None:
    try:
        import alembic  # noqa: F401
        import fastapi  # noqa: F401
        import sqlalchemy  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError:
        raise MissingExtra("service", "The service") from None


@db_app.command()
def upgrade(config: Config = None, database: Database = None) -> None:
    """Run the migrations that are missing; an empty database becomes usable."""
    storage = _open(config, database)
    from conlinucb.service.storage import migrate

    before = migrate.current(storage.database)
    migrate.upgrade(storage.database)
    now = migrate.current(storage.database)
    storage.close()
    typer.echo(f"{storage.database.place}: {before or 'empty'} -> {now}")


@db_app.command()
def check(config: Config = None, database: Database = None) -> None:
    """Fold every log and compare it with the snapshots; exit code 1 where something is wrong."""
    checker = _checker(config, database)
    findings = [(f"catalogue {each.catalogue}", each) for each in checker.catalogues()]
    people = events = 0
    for one in _bar(checker.people(), checker.count(), "checking"):
        people, events = people + 1, events + one.events
        findings += [(f"person {one.person.name!r}", each) for each in one.findings]
    for where, each in findings:
        typer.echo(f"{where}: {each.what}: {each.reason}")
    typer.echo(f"{people} people, {events} events, {len(findings)} findings")
    if findings:
        raise typer.Exit(1)


@db_app.command()
def rebuild(config: Config = None, database: Database = None) -> None:
    """Throw away all snapshots and make them anew from the log."""
    checker = _checker(config, database)
    checker.catalogues()
    done = sum(1 for _ in _bar(checker.rebuild(), checker.count(), "rebuilding"))
    typer.echo(f"{done} people rebuilt")


def _bar(steps: Iterable[Checked], length: int, label: str) -> Iterator[Checked]:
    with typer.progressbar(
        steps, length=length, label=label, file=typer.get_text_stream("stderr")
    ) as bar:
        yield from bar


def _open(config: Path | None, database: str | None) -> Storage:
    _need_service()
    from conlinucb.service.config import read_config
    from conlinucb.service.storage import Storage

    return Storage(read_config(config, database=database).database)


def _checker(config: Path | None, database: str | None) -> Checker:
    storage = _open(config, database)
    storage.database.must_exist()
    from conlinucb.service.check import Checker
    from conlinucb.service.storage import migrate

    migrate.require_current(storage.database)
    return Checker(storage)

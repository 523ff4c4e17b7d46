"""The service put together."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from conlinucb._version import __version__
from conlinucb.agent.named import add_folder
from conlinucb.errors import ConlinucbError, Damaged, StorageError
from conlinucb.service.background import Background
from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.config import PREPARED, SERVICE, ServiceConfig, key_from_environment
from conlinucb.service.conversations.cache import StateCache
from conlinucb.service.conversations.comparison import Comparisons
from conlinucb.service.conversations.loader import StateLoader
from conlinucb.service.conversations.use_cases import UseCases
from conlinucb.service.dashboard.reports import Dashboards
from conlinucb.service.experiments.looks import Looks
from conlinucb.service.http.body_errors import sentence
from conlinucb.service.http.callers import Callers
from conlinucb.service.http.drain import QUEUE_SECONDS, lame_duck
from conlinucb.service.http.guard import Guard
from conlinucb.service.http.keyring import Keyring
from conlinucb.service.http.limits import Limits
from conlinucb.service.http.logs import in_the_log, set_up
from conlinucb.service.http.metrics import Metrics
from conlinucb.service.http.quick import Quick
from conlinucb.service.http.rates import Rates
from conlinucb.service.http.routes import catalogues as catalogue_routes
from conlinucb.service.http.routes import (
    comparison,
    dashboard,
    experiments,
    health,
    metrics,
    page,
    people,
    populations,
)
from conlinucb.service.http.scopes import Routes, table
from conlinucb.service.http.timings import Timings
from conlinucb.service.http.traces import Traces, traces_from_environment
from conlinucb.service.http.turns import all_turns
from conlinucb.service.http.visitors import Visitors
from conlinucb.service.http.watch import Routed, Watch
from conlinucb.service.observe import observer
from conlinucb.service.problems import Problem, problem_of
from conlinucb.service.schemas import CatalogueBody
from conlinucb.service.storage import Storage

logger = logging.getLogger("conlinucb.service")
SWITCH_SECONDS = 0.0005
"""After which a thread that computes lets another one on: a tenth of what Python takes, since each
short request would wait so long several times behind a long one."""
MADE_BETWEEN = 10_000
"""Objects made, and not let go, between two looks of the collector; Python's own is 700."""
_CODES = {400: "unreadable", 404: "unknown_address", 405: "wrong_method"}


class _Application(FastAPI):
    def openapi(self) -> dict[str, Any]:
        """The description, with the body that one route reads by itself."""
        if self.openapi_schema is None:
            found = get_openapi(
                title=self.title, version=self.version, summary=self.summary, routes=self.routes
            )
            body = CatalogueBody.model_json_schema(ref_template="#/components/schemas/{model}")
            schemas = found["components"]["schemas"]
            for name, schema in body.pop("$defs").items():
                schemas.setdefault(name, schema)
            schemas["CatalogueBody"] = body
            found["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
            found["security"] = [{"key": []}, {}]  # {}: a service on loopback may have no key
            self.openapi_schema = found
        return self.openapi_schema


def create_app(
    config: ServiceConfig, *, key: str | None = None, traces: Traces | None = None
) -> FastAPI:
    """The application; its database is opened when it starts."""
    app = _Application(
        title="conlinucb",
        version=__version__,
        summary="A recommender that asks.",
        openapi_url="/v1/openapi.json",
        docs_url=None,  # both would load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan,
    )
    app.state.config, app.state.limits = config, Limits.of(config)
    app.state.when_warm = None  # of a process of its own: see from_environment
    if config.modules is not None:
        add_folder(config.modules)
    app.include_router(people.router)
    app.include_router(catalogue_routes.router)
    app.include_router(populations.router)
    app.include_router(experiments.router)
    app.include_router(dashboard.router)
    app.include_router(health.router)
    app.include_router(metrics.router)
    app.add_middleware(Quick, calls=people.QUICK, refuse=_package_error)
    app.add_middleware(Routed)
    if config.page != "off":
        app.include_router(page.router)
        app.include_router(comparison.router)
        app.include_router(dashboard.home)
        app.mount("/static", page.files())
        app.add_middleware(Visitors)
    app.add_exception_handler(ConlinucbError, _package_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http_error)
    app.state.routes = Routes(table(page=config.page != "off"))
    app.state.callers = Callers(
        key=key,
        hosts=config.hosts,
        open_page=config.page == "open",
        routes=app.state.routes,
    )
    app.add_middleware(
        Guard,
        callers=app.state.callers,
        image_hosts=config.image_hosts,
        limits=app.state.limits,
        homes=config.page != "off",
    )
    app.state.timings, app.state.metrics, app.state.traces = Timings(), Metrics(), traces
    app.add_middleware(
        Watch,
        metrics=app.state.metrics,
        timings=app.state.timings,
        traces=traces,
        access_log=config.access_log,
    )
    app.openapi()  # builds the routes too, here, where no other thread is at work yet
    return app


def from_environment() -> FastAPI:
    """The application of a worker process."""
    config = ServiceConfig.model_validate_json(os.environ[SERVICE])
    set_up(config.log_format)
    sys.setswitchinterval(SWITCH_SECONDS)
    _end_with_parent(config.lame_duck_seconds + QUEUE_SECONDS + config.drain_seconds)
    key = key_from_environment(config, stored=True)  # as the parent saw
    app = create_app(config, key=key, traces=traces_from_environment())
    app.state.when_warm = leave_to_itself
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
    config: ServiceConfig = app.state.config
    storage = Storage(config.database, config.limits)
    loader = StateLoader(storage)
    catalogues = Catalogues(storage, image_hosts=config.image_hosts)
    cache = StateCache(config.cache_megabytes * 1_000_000)
    background = Background(config, storage, catalogues, cache, app.state.when_warm)
    app.state.background = background
    app.state.comparisons, app.state.turns = Comparisons(), all_turns()
    app.state.use_cases = UseCases(storage, catalogues, cache, loader, background.keep)
    app.state.dashboards = Dashboards(storage)
    app.state.looks = Looks(storage)
    # As many requests at work as there are connections: none waits for one in vain.
    at_once = config.threads or config.database_connections
    anyio.to_thread.current_default_thread_limiter().total_tokens = at_once
    listening = [each for each in (app.state.metrics, app.state.traces) if each is not None]
    for each in listening:
        observer.add(each)
    app.state.metrics.level("build_info", 1, version=__version__)
    app.state.keyring = app.state.callers.keyring = keyring = Keyring(storage)
    app.state.callers.rates = rates = Rates(config, _rates_file())
    keyring.start()
    background.start()
    lame_duck(app.state.limits, config.lame_duck_seconds)
    try:
        yield {"limits": app.state.limits}
    finally:
        keyring.stop()
        app.state.callers.rates = None
        rates.close()
        background.stop()
        for each in listening:
            observer.remove(each)
        if app.state.traces is not None:
            app.state.traces.close()
        storage.close()


def _rates_file() -> Path | None:
    """In the server's own folder, where all of its workers find it."""
    prepared = os.environ.get(PREPARED)
    return Path(prepared).parent / "rates" if prepared else None


def leave_to_itself() -> None:
    """What is there when a worker is ready stays: modules, kernels, catalogues.

    The collector looked through all of it again and again; requests waited some 150 ms each time.
    What comes later it looks through less often: it waits for more of it to come.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(MADE_BETWEEN)


def _end_with_parent(seconds: float) -> None:
    """Stop when the supervising process is gone, however it went."""
    parent = multiprocessing.parent_process()
    if parent is None:  # started by hand, without one
        return

    def watch() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(seconds + 5)
        os._exit(1)  # what has not finished by now never will

    threading.Thread(target=watch, daemon=True).start()


def _answer(problem: Problem) -> JSONResponse:
    return JSONResponse(problem.body(), problem.status, problem.headers())


async def _package_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ConlinucbError)
    problem = problem_of(error)
    if problem.status >= 500 and not isinstance(error, Problem):  # our own refusals are counted
        logger.error("%s: %s", problem.code, _loggable(error))
    if problem.status == 500:
        problem = Problem(500, problem.code, f"{problem} {in_the_log()}")
    return _answer(problem)


def _loggable(error: ConlinucbError) -> str:
    """What may stand in the log: texts about a person are for the caller alone."""
    about_the_store = isinstance(error, StorageError) and not isinstance(error, Damaged)
    return str(error) if about_the_store else type(error).__name__


async def _invalid_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    if isinstance(error.body, bytes):  # it was not read as JSON, since it was not said to be
        kind = request.headers.get("content-type", "nothing")
        message = f"Send JSON with content-type: application/json; it was said to be {kind[:100]}."
        return _answer(Problem(415, "wrong_type", message))
    return _answer(Problem(422, "invalid_request", sentence(error.errors())))


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    status, headers = error.status_code, dict(error.headers or {})
    message = f"{request.method} {request.url.path}: {error.detail}."
    if status == 400:
        message = f"The body is no JSON that can be read: {str(error.__cause__)[:200]}."
    response = _answer(Problem(status, _CODES.get(status, "refused"), message))
    response.headers.update(headers)
    return response

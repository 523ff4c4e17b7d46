"""Agents compared on simulated or logged people, a few comparisons at a time."""

from __future__ import annotations

from functools import partial

import anyio.from_thread
from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.comparison import Comparisons
from conlinucb.service.http.routes.common import (
    ERRORS,
    STRICT,
    Catalogue,
    catalogue_name,
    catalogues_of,
)
from conlinucb.service.http.turns import turns_of
from conlinucb.service.schemas import ComparisonBody, ComparisonOut

router = APIRouter(tags=["page"])


def comparisons_of(request: Request) -> Comparisons:
    """What was compared lately, and whom it can be compared on."""
    comparisons: Comparisons = request.app.state.comparisons
    return comparisons


@router.post(
    "/v1/page/comparison",
    summary="Compare agents",
    response_model=ComparisonOut,
    responses=ERRORS,
    dependencies=STRICT,
)
async def compare(request: Request, body: ComparisonBody, catalogue: Catalogue = None) -> Response:
    """One person met by each agent, round by round, and 40 in short. Nothing of it is kept."""
    version = await run_in_threadpool(_version, request, catalogue)
    work = partial(
        comparisons_of(request).compare, version, body, anyio.from_thread.check_cancelled
    )
    return await turns_of(request).answer(request, work)


def _version(request: Request, catalogue: str | None) -> CatalogueVersion:
    return catalogues_of(request).serving(catalogue_name(request, catalogue))

"""The page: its documents, their files, and what only they ask for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from conlinucb.service.catalogues import browse
from conlinucb.service.conversations.comparison import AGENTS, SCHEDULES
from conlinucb.service.http.routes.common import (
    ERRORS,
    STRICT,
    Catalogue,
    caller_of,
    catalogue_name,
    catalogues_of,
    seen,
)
from conlinucb.service.http.routes.comparison import comparisons_of
from conlinucb.service.schemas import BeginningOut, PageCatalogue, PageOut, SearchOut

FOLDER = Path(__file__).parent.parent / "static"
FRESH = {"cache-control": "no-cache"}
"""May be kept, and is asked about each time: an upgrade shows at once."""
READ = ["GET", "HEAD"]
router = APIRouter(tags=["page"])


class _Files(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(FRESH)
        return response


def files() -> StaticFiles:
    """Styles, scripts and pictures, from the package itself."""
    return _Files(directory=FOLDER)


def _document(name: str) -> FileResponse:
    return FileResponse(FOLDER / name, media_type="text/html")


@router.api_route("/", methods=READ, include_in_schema=False)
async def conversation() -> FileResponse:
    """The conversation, and what is believed of you."""
    return _document("index.html")


@router.api_route("/taste", methods=READ, include_in_schema=False)
async def taste() -> FileResponse:
    """A taste worth keeping: one's own, or one that someone shared."""
    return _document("taste.html")


@router.api_route("/profile", methods=READ, include_in_schema=False)
async def profile() -> FileResponse:
    """Everything kept of you."""
    return _document("profile.html")


@router.api_route("/compare", methods=READ, include_in_schema=False)
async def comparison() -> FileResponse:
    """People met by two agents."""
    return _document("compare.html")


@router.api_route("/build", methods=READ, include_in_schema=False)
async def build() -> FileResponse:
    """The builder's home: uploads, catalogues and the description of every route."""
    return _document("build.html")


@router.get("/v1/page", summary="What the page needs", responses=ERRORS, dependencies=STRICT)
def needed(request: Request) -> PageOut:
    """Catalogues to talk about, and what can be compared."""
    versions = seen(request)
    names = [each.name for each in versions]
    default = caller_of(request).catalogue or request.app.state.config.default_catalogue
    return PageOut(
        catalogues=[
            PageCatalogue(
                name=version.name,
                items=int(version.catalog.live_arms.size),
                terms=int(version.catalog.live_terms.size),
                range=version.settings.range,
                noun=version.settings.noun,
                nouns=version.settings.nouns,
            )
            for version in versions
        ],
        default=default if default in names else next(iter(names), None),
        agents=list(AGENTS),
        schedules=list(SCHEDULES),
        people=comparisons_of(request).kinds(),
    )


@router.get("/v1/page/search", summary="Search by name", responses=ERRORS, dependencies=STRICT)
def search(
    request: Request,
    q: Annotated[str, Query(min_length=1, max_length=100, description="What was typed so far.")],
    limit: Annotated[int, Query(ge=1, le=20, description="Most items, and most topics.")] = 8,
    catalogue: Catalogue = None,
) -> SearchOut:
    """Items and topics by what was typed: typos, case and accents are forgiven."""
    version = catalogues_of(request).serving(catalogue_name(request, catalogue))
    return browse.search(version, q, limit)


@router.get(
    "/v1/page/beginning", summary="Topics to begin with", responses=ERRORS, dependencies=STRICT
)
def beginning(request: Request, catalogue: Catalogue = None) -> BeginningOut:
    """A few broad topics that tell most of a newcomer, and all of them."""
    version = catalogues_of(request).serving(catalogue_name(request, catalogue))
    return browse.beginning(version)

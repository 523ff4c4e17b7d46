"""The operator's dashboard: its document, which holds nothing, and what it shows."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse

from conlinucb.service.dashboard.reports import Dashboards
from conlinucb.service.dashboard.window import MOST_DAYS
from conlinucb.service.http.routes.common import (
    ERRORS,
    STRICT,
    Catalogue,
    catalogue_name,
    catalogues_of,
)
from conlinucb.service.http.routes.page import FOLDER, READ
from conlinucb.service.http.timings import Timings
from conlinucb.service.http.turns import turns_of
from conlinucb.service.schemas.dashboard import DashboardOut

router = APIRouter(tags=["dashboard"])
home = APIRouter(tags=["dashboard"])
"""The document alone: it is not there where the page is off."""
Days = Annotated[
    int, Query(ge=1, le=MOST_DAYS, description="How far back; 1: the last 24 hours, by hour.")
]


@home.api_route("/dashboard", methods=READ, include_in_schema=False)
async def dashboard_page() -> FileResponse:
    """How the service is doing."""
    return FileResponse(FOLDER / "dashboard.html", media_type="text/html")


@router.get(
    "/v1/dashboard",
    summary="How the service is doing",
    response_model=DashboardOut,
    responses=ERRORS,
    dependencies=STRICT,
)
async def dashboard(request: Request, catalogue: Catalogue = None, days: Days = 30) -> Response:
    """People in general: no names, no ids, and no share of fewer than 5. New once a minute."""
    dashboards: Dashboards = request.app.state.dashboards
    timings: Timings = request.app.state.timings

    def made() -> DashboardOut:
        version = catalogues_of(request).serving(catalogue_name(request, catalogue))
        return dashboards.dashboard(version, days, timings.found())

    return await turns_of(request).answer(request, made)

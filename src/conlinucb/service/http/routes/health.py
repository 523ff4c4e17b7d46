"""Is it alive, is it ready."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from conlinucb.service.background import Background
from conlinucb.service.http.callers import Caller
from conlinucb.service.http.routes.common import ERRORS
from conlinucb.service.schemas import Health

router = APIRouter(
    tags=["health"], responses={status: ERRORS[status] for status in (403, 405, 421, 500)}
)


@router.get("/healthz", summary="Alive")
async def alive() -> Health:
    """The process answers, however many requests wait for the store."""
    return Health(status="ok", checks={})


@router.get("/readyz", summary="Ready", responses={503: {"model": Health}})
def ready(request: Request, response: Response) -> Health:
    """Store reachable, migrations current, a catalogue loaded, kernels warm; not about to stop."""
    background: Background = request.app.state.background
    if request.app.state.limits.leaving:  # it goes on answering while others take its place
        response.status_code = 503
        return Health(status="not ready", checks={"server": "it is leaving"})
    checks = background.checks() | {"keys": request.app.state.keyring.state()}
    needed = {name: text for name, text in checks.items() if not name.startswith("catalogue ")}
    told = {
        name: text for name, text in checks.items() if name in needed or _may_see(request, name)
    }
    if all(text == "ok" for text in needed.values()):
        return Health(status="ok", checks=told)
    response.status_code = 503
    return Health(status="not ready", checks=told)


def _may_see(request: Request, check: str) -> bool:
    """Whether the name of a catalogue is for this caller: not for who only asks after health."""
    caller: Caller = request.state.caller
    mine = caller.catalogue is None or check == f"catalogue {caller.catalogue}"
    return caller.kind != "visitor" and mine

"""What Prometheus reads."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from conlinucb.service.http.metrics import Metrics
from conlinucb.service.http.routes.common import ERRORS, STRICT

router = APIRouter(tags=["health"], responses=ERRORS, dependencies=STRICT)
_EXAMPLE = 'conlinucb_questions_total{catalogue="films"} 3.0\n'
_TEXT = {"text/plain": {"schema": {"type": "string", "examples": [_EXAMPLE]}}}


@router.get(
    "/metrics",
    summary="Counts and times for Prometheus",
    response_class=Response,
    responses={200: {"content": _TEXT}},
)
def metrics(request: Request) -> Response:
    """Of all workers together, since the service started; nobody's name is in them."""
    found: Metrics = request.app.state.metrics
    return Response(found.text(), media_type=CONTENT_TYPE_LATEST)

"""Experiments on live traffic: two or more agents for a catalogue."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import anyio.from_thread
from fastapi import APIRouter, Query, Request, Response

from conlinucb.service.experiments.compare import Asked
from conlinucb.service.experiments.experiments import Experiment
from conlinucb.service.experiments.looks import Looks, rounds_of
from conlinucb.service.http.routes.common import (
    ERRORS,
    STRICT,
    Name,
    catalogues_of,
    use_cases_of,
)
from conlinucb.service.http.turns import turns_of
from conlinucb.service.schemas.experiments import (
    ExperimentBody,
    ExperimentOut,
    LiveComparison,
    Metric,
    PromoteBody,
)

router = APIRouter(
    prefix="/v1/catalogues/{name}/experiment",
    tags=["experiments"],
    responses=ERRORS,
    dependencies=STRICT,
)
MOST_HOURS = 24.0 * 90


@router.put("", summary="Start an experiment")
def start(request: Request, name: Name, body: ExperimentBody) -> ExperimentOut:
    """People are in its arms from now on; refused while another one runs."""
    return _out(use_cases_of(request).experiments.start(name, body))


@router.get("", summary="The experiment that runs, or the last one")
def shown(request: Request, name: Name) -> ExperimentOut:
    """As it was started."""
    return _out(use_cases_of(request).experiments.latest(name))


@router.delete("", summary="End the experiment")
def end(request: Request, name: Name) -> ExperimentOut:
    """Everybody is served by the catalogue's own agent again; the log keeps what was found."""
    return _out(use_cases_of(request).experiments.end(name))


@router.post("/promotion", summary="Serve everybody with an arm's agent")
def promote(request: Request, name: Name, body: PromoteBody) -> ExperimentOut:
    """It ends, and nothing that people taught is lost: states are what the log comes to."""
    return _out(use_cases_of(request).experiments.promote(name, body.arm))


@router.post("/rollback", summary="Back to the agent of before")
def roll_back(request: Request, name: Name) -> ExperimentOut:
    """End the experiment that runs; or else take the last promotion back."""
    return _out(use_cases_of(request).experiments.rollback(name))


@router.get(
    "/comparison",
    summary="What the experiment has shown so far",
    response_model=LiveComparison,
)
async def comparison(
    request: Request,
    name: Name,
    metric: Metric = "reward-per-recommendation",
    rounds: Annotated[str, Query(max_length=20, description="Such as 1-5.")] = "1-5",
    window_hours: Annotated[float, Query(gt=0.0, le=MOST_HOURS, allow_inf_nan=False)] = 24.0,
) -> Response:
    """Intervals stay valid however often one looks. New once a minute, one at a time."""
    asked = Asked(metric, rounds_of(rounds), window_hours)

    def made() -> LiveComparison:
        looks: Looks = request.app.state.looks
        experiment = use_cases_of(request).experiments.latest(name)
        version = catalogues_of(request).serving(name)
        return looks.report(version, experiment, asked, anyio.from_thread.check_cancelled)

    return await turns_of(request).answer(request, made)


def _out(found: Experiment) -> ExperimentOut:
    return ExperimentOut(
        number=found.number,
        running=found.ended is None,
        at=_when(found.at),
        ended=None if found.ended is None else _when(found.ended),
        seed=found.seed,
        arms=list(found.arms),
        promoted=found.promoted,
    )


def _when(microseconds: int) -> str:
    return datetime.fromtimestamp(microseconds / 1e6, UTC).isoformat(timespec="milliseconds")

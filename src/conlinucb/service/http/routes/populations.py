"""What people are like in general: learned from the log, version by version."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from fastapi import APIRouter, Request

from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.http.routes.common import (
    ERRORS,
    STRICT,
    Name,
    catalogues_of,
    learner_of,
    use_cases_of,
)
from conlinucb.service.http.turns import turns_of
from conlinucb.service.schemas import FitBody, PopulationOut, UseBody
from conlinucb.service.storage import StoredPopulation

router = APIRouter(
    prefix="/v1/catalogues/{name}", tags=["populations"], responses=ERRORS, dependencies=STRICT
)


@router.get("/populations", summary="All populations of a catalogue")
def listed(request: Request, name: Name) -> list[PopulationOut]:
    """The oldest first; at most one is in use."""
    version = catalogues_of(request).serving(name)
    stored = use_cases_of(request).storage.populations.all(version.id)
    return [_out(version, each) for each in stored]


@router.post("/populations", summary="Learn a population")
async def learn(request: Request, name: Name, body: FitBody | None = None) -> PopulationOut:
    """From the log as it is now; the answer comes when that is done. Refused below the least."""
    given = body or FitBody()

    def learned() -> PopulationOut:
        found = learner_of(request).learn(name, use=given.use, random_weight=given.random_weight)
        return _out(catalogues_of(request).serving(name), found)

    return await turns_of(request).run(learned)


@router.put("/population", summary="Use a population")
def use(request: Request, name: Name, body: UseBody) -> list[PopulationOut]:
    """Another one, an older one, or none (0), at once: nobody's state is lost."""
    catalogues_of(request).use_population(name, body.number)
    return listed(request, name)


def _out(version: CatalogueVersion, stored: StoredPopulation) -> PopulationOut:
    when = datetime.fromtimestamp(stored.at / 1e6, UTC).isoformat(timespec="milliseconds")
    used = version.population is not None and version.population.number == stored.number
    return PopulationOut(
        number=stored.number,
        in_use=used,
        usable=stored.base == version.base,
        people=stored.people,
        at=when,
        digest=stored.digest,
        summary=json.loads(stored.note),
    )

"""Catalogues: uploaded, replaced, changed while people talk; and their settings."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from conlinucb.agent.spec import refuse_strangers
from conlinucb.service.catalogues.uploads import from_json, from_table
from conlinucb.service.catalogues.version import CatalogueVersion, Content
from conlinucb.service.http.body_errors import sentence
from conlinucb.service.http.routes.common import ERRORS, STRICT, Name, catalogues_of, use_cases_of
from conlinucb.service.problems import Problem
from conlinucb.service.schemas import (
    CatalogueBody,
    CatalogueOut,
    ItemsBody,
    RemovalBody,
)
from conlinucb.service.settings import Settings

router = APIRouter(
    prefix="/v1/catalogues", tags=["catalogues"], responses=ERRORS, dependencies=STRICT
)
TABLES = {
    "text/csv": ".csv",
    "application/vnd.apache.parquet": ".parquet",
    "application/x-parquet": ".parquet",
}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/CatalogueBody"}},
            "text/csv": {
                "schema": {"type": "string"},
                "example": "item,tag\nAlien (1979),horror\nHeat (1995),heist stories\n",
            },
            "application/vnd.apache.parquet": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


@router.get("", summary="All catalogues")
def listed(request: Request) -> list[CatalogueOut]:
    """Every catalogue that is served."""
    return [_about(request, version) for version in catalogues_of(request).listed()]


@router.get("/{name}", summary="One catalogue")
def shown(request: Request, name: Name) -> CatalogueOut:
    """Its size, its version, and whether another one is being built."""
    return _out(request, name)


@router.put(
    "/{name}",
    summary="Upload or replace a catalogue",
    openapi_extra=_BODY,
    responses={
        200: {"description": "It is served."},
        202: {"model": CatalogueOut, "description": "People's states are being rebuilt."},
    },
)
async def put(
    request: Request,
    response: Response,
    name: Name,
    d: Annotated[
        int | None, Query(ge=1, le=1000, description="For a table: directions of tags, at most.")
    ] = None,
) -> CatalogueOut:
    """Items with tags as JSON, or a table of items and tags as CSV or parquet.

    Where people's states have to be rebuilt for it, the old version is served until that is
    done: the status is then 202.
    """
    body = await request.body()
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return await run_in_threadpool(_put, request, response, name, kind, body, d)


def _put(
    request: Request, response: Response, name: str, kind: str, body: bytes, d: int | None
) -> CatalogueOut:
    content, settings = _read(kind, body, d)
    if settings is not None:
        refuse_strangers(settings.agent, "settings.agent")
    catalogues_of(request).replace(name, content, settings)
    out = _out(request, name)
    response.status_code = 200 if out.building is None else 202
    return out


def _read(kind: str, body: bytes, d: int | None) -> tuple[Content, Settings | None]:
    if kind in TABLES:
        return from_table(body, TABLES[kind], d=d), None
    if kind != "application/json":
        raise Problem(
            415, "wrong_type", f"A catalogue is application/json or {list(TABLES)}, got {kind!r}."
        )
    try:
        given = CatalogueBody.model_validate_json(body)
    except ValidationError as error:
        raise Problem(422, "invalid_body", sentence(error.errors(), ("body",))) from None
    return from_json(given), given.settings


@router.delete("/{name}", summary="Remove a catalogue", status_code=204)
def delete(request: Request, name: Name) -> None:
    """With every conversation about it."""
    catalogues_of(request).delete(name)


@router.post("/{name}/items", summary="Add items")
def add(request: Request, name: Name, body: ItemsBody) -> CatalogueOut:
    """At once, while people talk. Tags must be key-terms that the catalogue has."""
    items = [
        {
            "id": each.id,
            "tags": each.weights(),
            "features": each.features,
            **({"details": known} if (known := each.details()) else {}),
        }
        for each in body.items
    ]
    catalogues_of(request).add(name, items)
    return _out(request, name)


@router.post("/{name}/removals", summary="Remove items")
def remove(request: Request, name: Name, body: RemovalBody) -> CatalogueOut:
    """At once; what people said about them counts on."""
    catalogues_of(request).remove(name, body.items)
    return _out(request, name)


@router.get("/{name}/settings", summary="Settings")
def settings(request: Request, name: Name) -> Settings:
    """As they are served."""
    return catalogues_of(request).serving(name).settings


@router.put("/{name}/settings", summary="Change the settings")
def change(request: Request, response: Response, name: Name, body: Settings) -> CatalogueOut:
    """Checked before they are accepted; with another prior, people's states are rebuilt first."""
    if body.agent != catalogues_of(request).serving(name).settings.agent:
        refuse_strangers(body.agent, "agent")
    catalogues_of(request).set_settings(name, body)
    out = _out(request, name)
    response.status_code = 200 if out.building is None else 202
    return out


def _out(request: Request, name: str) -> CatalogueOut:
    return _about(request, catalogues_of(request).serving(name))


def _about(request: Request, version: CatalogueVersion) -> CatalogueOut:
    storage = use_cases_of(request).storage
    entry = storage.catalogue_log.find(version.name)
    catalog = version.catalog
    return CatalogueOut(
        catalogue=version.name,
        version=version.number,
        building=entry.pending if entry else None,
        items=int(catalog.live_arms.size),
        terms=int(catalog.live_terms.size),
        d=catalog.d,
        people=storage.people.count(version.id),
        report=catalog.report,
        settings=version.settings,
    )

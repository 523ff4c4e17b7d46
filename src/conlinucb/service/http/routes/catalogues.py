"""Catalogues: uploaded, replaced, changed while people talk; and their settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import ValidationError

from conlinucb.agent.spec import refuse_strangers
from conlinucb.errors import InvalidInput
from conlinucb.service.catalogues.allowance import Allowance
from conlinucb.service.catalogues.choices import ROLES
from conlinucb.service.catalogues.preview import preview_of
from conlinucb.service.catalogues.uploads import Upload, columns_in, from_table, read_json
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.config import ServiceConfig
from conlinucb.service.http.body_errors import sentence
from conlinucb.service.http.routes.common import (
    ERRORS,
    STRICT,
    Name,
    catalogues_of,
    check_seen,
    seen,
    use_cases_of,
)
from conlinucb.service.http.turns import turns_of
from conlinucb.service.problems import Problem
from conlinucb.service.schemas import (
    CatalogueBody,
    CatalogueOut,
    ItemsBody,
    PreviewOut,
    RemovalBody,
)
from conlinucb.service.schemas.preview import ColumnOut
from conlinucb.service.settings import AskAbout, Settings

router = APIRouter(
    prefix="/v1/catalogues", tags=["catalogues"], responses=ERRORS, dependencies=STRICT
)
TABLES = {
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/vnd.apache.parquet": ".parquet",
    "application/x-parquet": ".parquet",
}
Directions = Annotated[
    int | None, Query(ge=1, le=1000, description="For a table: directions of tags, at most.")
]
Groups = Annotated[
    int | None,
    Query(ge=1, le=1000, description="Where there are no topics: groups of items to make of them."),
]
Asks = Annotated[
    AskAbout | None,
    Query(description="What questions are like, as in the settings; otherwise as they are."),
]
Columns = Annotated[
    list[str] | None,
    Query(
        description="For a table: what a column is for where its name does not say so, ROLE:NAME, "
        f"once for each such column. Roles: {', '.join(ROLES)}.",
        examples=[["item:Film", "topic:Kind"]],
    ),
]


@dataclass(frozen=True)
class Wanted:
    """What an address may say of an upload beside its body."""

    d: Directions = None
    groups: Groups = None
    ask_about: Asks = None
    column: Columns = None

    def settings(self, given: Settings | None) -> Settings | None:
        """With the questions that were asked for; None where nothing is to be set."""
        if self.ask_about is None:
            return given
        plain = (given or Settings()).model_dump()
        try:
            return Settings.model_validate({**plain, "ask_about": self.ask_about})
        except ValidationError as error:
            raise Problem(422, "invalid_body", sentence(error.errors(), ("query",))) from None


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
    """Every catalogue that is served, and that the key is for."""
    return [_about(request, version) for version in seen(request)]


@router.post(
    "/preview",
    summary="What an upload would become",
    openapi_extra=_BODY,
    response_model=PreviewOut,
)
async def preview(request: Request, wanted: Annotated[Wanted, Depends()]) -> Response:
    """Takes what an upload takes, and stores nothing.

    Says what was understood and what was guessed, which topics cover which items, the first
    questions to a newcomer with a reason for each, and how three example people would fare.
    """
    body = await request.body()
    work = partial(_preview, request, _kind(request), body, wanted)
    return await turns_of(request).answer(request, work)


def _preview(request: Request, kind: str, body: bytes, wanted: Wanted) -> PreviewOut:
    found = _read(request, kind, body, wanted)
    settings = wanted.settings(found.beginning())
    return preview_of(found, catalogues_of(request).trial(found.content, settings))


@router.post("/columns", summary="The columns of a table", openapi_extra=_BODY)
async def columns(request: Request, column: Columns = None) -> list[ColumnOut]:
    """What each column would be used as, even where the table cannot be used yet.

    Says what a choice can be made from; JSON has no columns.
    """
    body = await request.body()
    work = partial(_columns, request, _kind(request), body, column or [])
    return await turns_of(request).run(work)


def _columns(request: Request, kind: str, body: bytes, told: list[str]) -> list[ColumnOut]:
    if kind not in TABLES:
        _given(kind, body, told)
        return []
    return columns_in(body, TABLES[kind], columns=told, allowance=_allowance(request))


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


@router.get("/{name}", summary="One catalogue")
def shown(request: Request, name: Name) -> CatalogueOut:
    """Its size and its version."""
    check_seen(request, name)
    return _out(request, name)


@router.put(
    "/{name}",
    summary="Upload or replace a catalogue",
    openapi_extra=_BODY,
    responses={
        200: {"description": "It is served."},
        202: {"model": CatalogueOut, "description": "A version waits; it is served soon."},
    },
)
async def put(
    request: Request,
    response: Response,
    name: Name,
    wanted: Annotated[Wanted, Depends()],
) -> CatalogueOut:
    """Items with tags as JSON, or a table of items and tags as CSV or parquet.

    A table may be long or wide, separated by commas, semicolons or tabs, under the common names of
    columns; ``understood`` says how it was read. ``POST /v1/catalogues/preview`` shows it before.
    It is served at once: people's states are folded anew when they come next.
    """
    body = await request.body()
    work = partial(_put, request, response, name, _kind(request), body, wanted)
    return await turns_of(request).run(work)


def _put(
    request: Request, response: Response, name: str, kind: str, body: bytes, wanted: Wanted
) -> CatalogueOut:
    found = _read(request, kind, body, wanted)
    catalogues = catalogues_of(request)
    known = catalogues.known(name)
    settings = found.settings if known else found.beginning()
    if wanted.ask_about is not None:
        settings = wanted.settings(settings if settings or not known else known.settings)
    catalogues.replace(name, found.content, settings)
    told = found.understood if kind in TABLES else None
    out = _out(request, name).model_copy(update={"understood": told})
    response.status_code = 200 if out.building is None else 202
    return out


def _read(request: Request, kind: str, body: bytes, wanted: Wanted) -> Upload:
    config: ServiceConfig = request.app.state.config
    allowance = _allowance(request)
    columns = wanted.column or []
    if kind in TABLES:
        rules: dict[str, Any] = {"image_hosts": config.image_hosts, "allowance": allowance}
        rules |= {"d": wanted.d, "groups": wanted.groups, "columns": columns}
        return from_table(body, TABLES[kind], **rules)
    given = _given(kind, body, columns)
    if given.settings is not None:
        refuse_strangers(given.settings.agent, "settings.agent")
    return read_json(given, allowance, wanted.groups)


def _allowance(request: Request) -> Allowance:
    config: ServiceConfig = request.app.state.config
    return Allowance(1_000_000 * config.unpacked_megabytes, config.upload_seconds)


def _given(kind: str, body: bytes, columns: Sequence[str]) -> CatalogueBody:
    """A catalogue as JSON, whose fields have names already."""
    if kind != "application/json":
        raise Problem(
            415, "wrong_type", f"A catalogue is application/json or {list(TABLES)}, got {kind!r}."
        )
    if columns:
        raise InvalidInput(
            f"column is for tables, got {columns[0][:100]!r} and JSON, whose fields have names."
        )
    try:
        return CatalogueBody.model_validate_json(body)
    except ValidationError as error:
        raise Problem(422, "invalid_body", sentence(error.errors(), ("body",))) from None


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
    check_seen(request, name)
    return catalogues_of(request).serving(name).settings


@router.put("/{name}/settings", summary="Change the settings")
def change(request: Request, response: Response, name: Name, body: Settings) -> CatalogueOut:
    """Checked before they are accepted, and served at once."""
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

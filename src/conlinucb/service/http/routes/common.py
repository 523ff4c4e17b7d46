"""What all routes share: where the parts of the service are, and the errors they document."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path, Query, Request

from conlinucb.errors import nearest
from conlinucb.service.catalogues.registry import Catalogues, unknown_catalogue
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.use_cases import UseCases
from conlinucb.service.http.callers import Caller
from conlinucb.service.populations.learn import Learner
from conlinucb.service.problems import Problem
from conlinucb.service.schemas import ErrorOut, Text

_ERRORS = {
    400: "The body is no JSON.",
    401: "The key is missing or wrong.",
    403: "The key is of another scope or catalogue, or a page of another site calls.",
    404: "Unknown user, catalogue, population, experiment, question, decision or event.",
    405: "Not a method of this address.",
    408: "The body came too slowly.",
    409: "It contradicts what was said or asked before.",
    413: "The body is too large.",
    415: "A content type that is not understood.",
    421: "Called by a name that is not this machine's.",
    422: "Something in the request cannot be used; the message says what.",
    429: "More than this caller's limit: try again when Retry-After says.",
    500: "Something failed here.",
    503: "The database does not answer, or the catalogue cannot be served: try again.",
    507: "The database takes nothing: its disk is full, or it is read-only.",
}
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorOut, "description": text} for status, text in _ERRORS.items()
}
User = Annotated[Text, Path(description="Your id of the person.", examples=["ann"])]
Catalogue = Annotated[
    Text | None, Query(description="Which catalogue; the default one where none is named.")
]
Name = Annotated[Text, Path(description="The catalogue's name.", examples=["films"])]


async def refuse_unknown_parameters(request: Request) -> None:
    """Refuse parameters in the address that no one would look at, such as a mistyped one.

    Async although it waits for nothing: others are sent to a thread of their own.
    """
    if not request.query_params:
        return
    route = request.scope["route"]
    described = request.app.openapi()["paths"][route.path][request.method.lower()]
    parameters = described.get("parameters", ())
    known = [each["name"] for each in parameters if each["in"] == "query"]
    for name in request.query_params:
        if name not in known:
            called = f"{request.method} {route.path}"
            said = f"takes no parameter {name[:50]!r}.{nearest(name, known)}"
            if not known:
                said = f"takes no parameters in its address, got {name[:50]!r}."
            raise Problem(422, "unknown_parameter", f"{called} {said}")


STRICT = [Depends(refuse_unknown_parameters)]


def use_cases_of(request: Request) -> UseCases:
    """The use cases about people."""
    use_cases: UseCases = request.app.state.use_cases
    return use_cases


def catalogues_of(request: Request) -> Catalogues:
    """The catalogues in service."""
    return use_cases_of(request).catalogues


def learner_of(request: Request) -> Learner:
    """Who learns populations."""
    learner: Learner = request.app.state.background.learner
    return learner


def caller_of(request: Request) -> Caller:
    """Who calls, as the guard found."""
    caller: Caller = request.state.caller
    return caller


def catalogue_name(request: Request, catalogue: str | None) -> str:
    """The catalogue that a request is about."""
    own = caller_of(request).catalogue
    name = catalogue or own or request.app.state.config.default_catalogue
    if name is None:
        raise Problem(422, "catalogue_needed", "Say which catalogue: ?catalogue=NAME.")
    check_seen(request, str(name))
    return str(name)


def only_catalogue(request: Request, catalogue: str | None) -> str | None:
    """The one catalogue that a request about a whole person is limited to; None: all of them."""
    limited = catalogue or caller_of(request).catalogue
    return None if limited is None else catalogue_name(request, limited)


def check_seen(request: Request, name: str) -> None:
    """Refuse visitors a catalogue that is not public, as if it were not there.

    By what is at hand: it is called where nothing may wait for the store.
    """
    catalogues = catalogues_of(request)
    if caller_of(request).kind != "visitor" or not catalogues.opened:
        return
    version = catalogues.known(name)
    if version is None or not _public(version):
        raise unknown_catalogue(name, [each.name for each in catalogues.all() if _public(each)])


def seen(request: Request) -> list[CatalogueVersion]:
    """Every catalogue that this caller may know of."""
    caller, listed = caller_of(request), catalogues_of(request).listed()
    if caller.catalogue is not None:
        return [each for each in listed if each.name == caller.catalogue]
    return [each for each in listed if _public(each)] if caller.kind == "visitor" else listed


def _public(version: CatalogueVersion) -> bool:
    return version.settings.public

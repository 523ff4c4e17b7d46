"""Every route, body, error and setting of the service is described and documented."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from conlinucb.service.config import KEY, CatalogueConfig
from conlinucb.service.http.visitors import HOMES, PAGES
from conlinucb.service.settings import Settings
from support.service_door import DESCRIBED, OPEN, ROUTES

FOLDER = Path(__file__).parents[3] / "docs"
DOCS = FOLDER / "service.md"


def test_every_route_is_described() -> None:
    described = {
        (method.upper(), path) for path, methods in DESCRIBED["paths"].items() for method in methods
    }
    own = {"/v1/openapi.json", *PAGES, *HOMES, "/static/page.css"}
    assert described == {each for each in ROUTES if each[1] not in own}


def test_the_key_is_described_and_may_be_missing() -> None:
    assert DESCRIBED["components"]["securitySchemes"] == {
        "key": {"type": "http", "scheme": "bearer"}
    }
    assert DESCRIBED["security"] == [{"key": []}, {}]


OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, methods in DESCRIBED["paths"].items()
    for method, operation in methods.items()
}


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema behind a reference, or of several the one that is an object."""
    if "$ref" in schema:
        found: dict[str, Any] = DESCRIBED["components"]["schemas"][schema["$ref"].split("/")[-1]]
        return found
    several = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    return _resolved(several[0]) if several else schema


@pytest.mark.parametrize(
    "name", [name for name, operation in OPERATIONS.items() if "requestBody" in operation]
)
def test_every_body_has_an_example(name: str) -> None:
    for kind, content in OPERATIONS[name]["requestBody"]["content"].items():
        if "parquet" in kind:  # bytes, not for people
            continue
        schema = _resolved(content["schema"])
        examples = schema.get("examples") or content.get("examples") or content.get("example")
        assert examples, f"{kind} has none"


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_answer_has_an_example(name: str) -> None:
    for status, response in OPERATIONS[name]["responses"].items():
        for content in response.get("content", {}).values():
            schema = content["schema"]
            inside = _resolved(schema.get("items", schema))
            assert inside.get("examples"), f"{status} has none"


@pytest.mark.parametrize("name", OPERATIONS)
def test_errors_are_described(name: str) -> None:
    responses = OPERATIONS[name]["responses"]
    for status, response in responses.items():
        if int(status) >= 400 and (name, status) != ("GET /readyz", "503"):
            schema = response["content"]["application/json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/ErrorOut"}
    needed = {"405", "421"} if name.split()[1] in OPEN else {"401", "413", "422", "500", "503"}
    assert needed <= set(responses)
    assert OPERATIONS[name]["summary"]


@pytest.mark.parametrize("path", sorted({*DESCRIBED["paths"], "/v1/openapi.json"}))
def test_every_path_is_documented(path: str) -> None:
    docs = DOCS if not path.startswith("/v1/page") else FOLDER / "page.md"
    assert f"{path}`" in docs.read_text(encoding="utf-8") or f"{path}?" in docs.read_text()


FIELDS = [
    (model.__name__, field) for model in (Settings, CatalogueConfig) for field in model.model_fields
]


@pytest.mark.parametrize(("model", "field"), FIELDS)
def test_every_setting_is_documented(model: str, field: str) -> None:
    """As code in a sentence, or as a key or table of TOML."""
    text = DOCS.read_text(encoding="utf-8")
    assert re.search(rf"`{field}`|\b{field} = |^\[(\w+\.)*{field}\b", text, re.MULTILINE), model


@pytest.mark.parametrize("name", [KEY, "CONLINUCB_DATABASE"])
def test_every_variable_is_documented(name: str) -> None:
    assert name in DOCS.read_text(encoding="utf-8")

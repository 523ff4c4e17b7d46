"""The HTTP interface, from the description that the service itself gives at /v1/openapi.json."""

from __future__ import annotations

import json
from typing import Any

from conlinucb.service.config import ServiceConfig
from conlinucb.service.http.app import create_app
from conlinucb.service.http.scopes import table
from conlinucb.service.storage import MEMORY

HEAD = """# HTTP

Made from the description that a running service gives at `/v1/openapi.json`; what the calls mean
together is told in [The service](../service.md). Each call names the scope of the key it needs
where there are keys. Errors have one shape: `{"error": {"code", "message", ...}}`.

"""
METHODS = ("get", "post", "put", "delete", "patch")


def page() -> str:
    """Every route."""
    needed = {
        f"{method} {path}": need
        for route, need in table().items()
        for methods, _, path in [route.rpartition(" ")]
        for method in methods.split(", ")
    }
    described = create_app(ServiceConfig(database=MEMORY)).openapi()
    parts = []
    for path, methods in described["paths"].items():
        for method in METHODS:
            if method in methods:
                parts.append(_route(method.upper(), path, methods[method], described, needed))
    return HEAD + "\n".join(parts)


def _route(
    method: str,
    path: str,
    operation: dict[str, Any],
    described: dict[str, Any],
    needed: dict[str, str],
) -> str:
    need = needed[f"{method} {path}"]
    lines = [
        f"## {method} {path}",
        "",
        f"{operation['summary']}. Key: *{need}*.".replace("..", "."),
    ]
    told = operation.get("description")
    if told:
        lines += ["", told]
    parameters = [_parameter(each) for each in operation.get("parameters", ())]
    if parameters:
        lines += ["", "| parameter | in | |", "|---|---|---|", *parameters]
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        lines += _example(f"Body, `{kind}`:", content, described)
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            lines += ["", f"Answers {status}: {response['description']}."]
            for content in response.get("content", {}).values():
                lines += _example("", content, described)
    refused = ", ".join(f"{each}" for each in operation["responses"] if each >= "400")
    if refused:
        lines += ["", f"Refuses with {refused}."]
    return "\n".join([*lines, ""])


def _parameter(given: dict[str, Any]) -> str:
    told = given.get("description") or given.get("schema", {}).get("description") or ""
    return f"| `{given['name']}` | {given['in']} | {told.replace('|', '/')} |"


def _example(title: str, content: dict[str, Any], described: dict[str, Any]) -> list[str]:
    found = _found(content.get("schema", {}), described)
    if found is None:
        return ["", title] if title else []
    text = found if isinstance(found, str) else json.dumps(found, indent=2, ensure_ascii=False)
    return ["", *([title, ""] if title else []), "```", text, "```"]


def _found(schema: dict[str, Any], described: dict[str, Any]) -> Any:
    """The first example of a schema, behind references, of several, or of a list's items."""
    if "$ref" in schema:
        return _found(described["components"]["schemas"][schema["$ref"].split("/")[-1]], described)
    if schema.get("examples"):
        return schema["examples"][0]
    if "items" in schema:
        inside = _found(schema["items"], described)
        return None if inside is None else [inside]
    for each in schema.get("anyOf", ()):
        found = _found(each, described)
        if found is not None:
            return found
    return None

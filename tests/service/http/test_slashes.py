"""Ids with a slash: refused in addresses, whatever route they would lead to; fine elsewhere."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from conlinucb.errors import InvalidInput
from conlinucb.service.config import read_config
from support.service_door import error_of


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/users/a%2Fb/next"),
        ("POST", "/v1/users/a%2fnext"),  # else the next of another person
        ("PUT", "/v1/users/a%2Fb"),
        ("GET", "/v1/users/a%2Fexport"),
        ("PUT", "/v1/catalogues/a%2Fb"),
        ("DELETE", "/v1/catalogues/films%2Fitems"),
    ],
)
def test_in_addresses(memory: TestClient, method: str, path: str) -> None:
    response = memory.request(method, path)
    assert response.status_code == 422
    assert error_of(response)["code"] == "slash_in_id"
    assert "%2F" in error_of(response)["message"]


def test_items_may_have_one(memory: TestClient) -> None:
    body = {"items": [{"id": "a/1", "tags": ["x/y", "z"]}, {"id": "b", "tags": ["z"]}]}
    about = {"catalogue": "odd"}
    memory.put("/v1/catalogues/odd", json=body).raise_for_status()
    said = {"item": "a/1", "reward": 1}
    memory.post("/v1/users/kim/rewards", params=about, json=said).raise_for_status()
    explained = memory.get("/v1/users/kim/explain", params={"item": "a/1", **about})
    assert explained.status_code == 200


def test_configured_catalogues_have_none() -> None:
    with pytest.raises(InvalidInput, match="a/b"):
        read_config(None, catalogues={"a/b": {"demo": True}})

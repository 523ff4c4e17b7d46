"""Keys of the database: scopes, catalogues, ends, and a store that does not answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from conlinucb.errors import InvalidInput, StoreDown
from conlinucb.service.config import KEY, ServiceConfig, key_from_environment
from conlinucb.service.http import keyring
from conlinucb.service.storage import now
from support.service_door import BEARER, SECRET, TWO_ITEMS, error_of
from support.service_keys import bearer, keyed_client, make_key, storage_of
from support.service_world import client_of
from support.soak import wait_for

pytestmark = pytest.mark.more  # a service for each

HOUR = 3_600_000_000
"""In microseconds."""
Keyed = tuple[TestClient, dict[str, str]]


@pytest.fixture(scope="module")
def keyed() -> Iterator[Keyed]:
    with keyed_client() as (client, keys):
        small = {"items": TWO_ITEMS}
        headers = bearer(keys["admin"])
        client.put("/v1/catalogues/small", json=small, headers=headers).raise_for_status()
        yield client, keys


def test_once_there_is_a_key_one_is_needed(keyed: Keyed) -> None:
    client, _ = keyed
    response = client.get("/v1/catalogues")
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    assert error_of(response)["code"] == "key_needed"
    assert "Send the key" in error_of(response)["message"]
    response = client.get("/v1/catalogues", headers=bearer("clu_" + "x" * 43))
    assert response.status_code == 401
    assert "unknown, or has ended" in error_of(response)["message"]


def test_readiness_names_catalogues_to_who_may_see_them(keyed: Keyed) -> None:
    client, keys = keyed

    def named(headers: dict[str, str]) -> set[str]:
        checks = client.get("/readyz", headers=headers).json()["checks"]
        assert {"store", "migrations", "kernels", "keys"} <= set(checks)
        return {each for each in checks if each.startswith("catalogue ")}

    assert named({}) == set()
    assert named(bearer(keys["small"])) == {"catalogue small"}
    assert named(bearer(keys["admin"])) == {"catalogue films", "catalogue small"}


def test_a_scope_that_is_not_enough_is_named(keyed: Keyed) -> None:
    client, keys = keyed
    response = client.delete("/v1/catalogues/small", headers=bearer(keys["use"]))
    assert response.status_code == 403
    assert error_of(response) == {
        "code": "wrong_scope",
        "message": "This call needs a key with the scope build; this one has use.",
    }


def test_a_key_of_one_catalogue_means_it_and_sees_no_other(keyed: Keyed) -> None:
    client, keys = keyed
    headers = bearer(keys["small"])
    shown = client.post("/v1/users/kim/next", json={"ask": "never"}, headers=headers).json()
    assert shown["items"][0]["item"] in {"a", "b"}
    listed = client.get("/v1/catalogues", headers=headers).json()
    assert [each["catalogue"] for each in listed] == ["small"]
    page = client.get("/v1/page", headers=headers).json()
    assert ([each["name"] for each in page["catalogues"]], page["default"]) == (["small"], "small")
    for method, path in (
        ("GET", "/v1/catalogues/films"),
        ("GET", "/v1/catalogues/nowhere"),
        ("GET", "/v1/users/kim?catalogue=films"),
        ("GET", "/v1/users/kim?catalogue=small&catalogue=films"),
        ("GET", "/v1/users/kim?catalogue=films&catalogue=small"),
        ("GET", "/v1/users/kim?catalogue="),
        ("GET", "/v1/dashboard?catalogue=films"),
        ("DELETE", "/v1/catalogues/films"),
    ):
        response = client.request(method, path, headers=headers)
        assert response.status_code == 403, path
        assert error_of(response)["code"] == "wrong_catalogue"
        assert "'small'" in error_of(response)["message"]


def test_export_and_deletion_stay_inside_the_key_s_catalogue(keyed: Keyed) -> None:
    client, keys = keyed
    everywhere, small = bearer(keys["use"]), bearer(keys["small"])
    for name in ("films", "small"):
        about = {"catalogue": name}
        client.put("/v1/users/pat", params=about, headers=everywhere).raise_for_status()
    exported = client.get("/v1/users/pat/export", headers=small).json()
    assert [each["catalogue"] for each in exported["conversations"]] == ["small"]
    assert client.delete("/v1/users/pat", headers=small).status_code == 204
    left = client.get("/v1/users/pat/export", headers=everywhere).json()
    assert [each["catalogue"] for each in left["conversations"]] == ["films"]


def test_the_key_of_the_environment_opens_everything_beside_others() -> None:
    with client_of(key=SECRET) as client:
        other = make_key(client, "other", "use")
        for headers, status in ((BEARER, 204), (bearer(other), 403)):
            client.put("/v1/catalogues/more", json={"items": TWO_ITEMS}, headers=BEARER)
            response = client.delete("/v1/catalogues/more", headers=headers)
            assert response.status_code == status


def test_keys_end_by_themselves_and_when_revoked(monkeypatch: pytest.MonkeyPatch) -> None:
    with client_of() as client:
        keys = storage_of(client).keys
        short = make_key(client, "short", "use", until=now() + HOUR)
        lasting = make_key(client, "lasting", "use")

        def status(key: str) -> int:
            return client.get("/v1/catalogues", headers=bearer(key)).status_code

        assert (status(short), status(lasting)) == (200, 200)
        with monkeypatch.context() as later:
            later.setattr(keyring, "now", lambda: now() + HOUR)
            assert (status(short), status(lasting)) == (401, 200)
        keys.revoke("lasting")
        wait_for(lambda: status(lasting) == 401, "the service follows")
        keys.revoke("short")
        wait_for(lambda: status(short) == 401, "the service follows")
        # With every key ended the door does not open again.
        assert client.get("/v1/catalogues").status_code == 401
        assert keys.clear() == 2
        wait_for(lambda: client.get("/v1/catalogues").status_code == 200, "no key was ever made")


def test_rotated_keys_overlap(url: str) -> None:
    with client_of(url) as client:
        old = make_key(client, "app", "use", "build", catalogue="films")
        keys = storage_of(client).keys
        new = keys.rotate("app", 60_000_000)
        client.app.state.keyring.refresh()  # type: ignore[attr-defined]
        for each in (old, new):
            listed = client.get("/v1/catalogues", headers=bearer(each)).json()
            assert [each["catalogue"] for each in listed] == ["films"]
        newest = keys.rotate("app", 0)
        client.app.state.keyring.refresh()  # type: ignore[attr-defined]
        statuses = [
            client.get("/v1/catalogues", headers=bearer(each)).status_code
            for each in (old, new, newest)
        ]
        assert statuses == [401, 401, 200]
        assert old not in repr(keys.all())


def test_a_store_that_is_down_is_no_reason_to_shut_out_or_let_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with keyed_client() as (client, keys):
        ring = client.app.state.keyring  # type: ignore[attr-defined]
        ring.stop()

        def down() -> None:
            raise StoreDown("The database does not answer: it is away.")

        monkeypatch.setattr(storage_of(client).keys, "all", down)
        with pytest.raises(StoreDown):
            ring.refresh()
        path = "/v1/openapi.json"  # needs no store
        assert client.get(path, headers=bearer(keys["use"])).status_code == 200
        monkeypatch.setattr(keyring, "KEPT", 0.0)
        for headers in (bearer(keys["use"]), {}):
            response = client.get(path, headers=headers)
            assert response.status_code == 503
            assert error_of(response)["code"] == "keys_unknown"
            assert response.headers["retry-after"]
        assert client.get("/healthz").status_code == 200


def test_an_open_page_needs_a_key_for_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    config = ServiceConfig(page="open")
    with pytest.raises(InvalidInput, match=f"{KEY}.*keys make"):
        key_from_environment(config)
    assert key_from_environment(config, stored=True) is None
    with client_of(page="open") as client:  # whoever starts it otherwise
        assert client.get("/v1/page").status_code == 200
        for path in ("/v1/catalogues", "/v1/users/ann", "/v1/dashboard"):
            assert client.get(path).status_code == 401

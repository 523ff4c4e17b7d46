"""The configuration of a service: its file, its catalogues' files, and its key."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import fastapi
import pytest
from fastapi.testclient import TestClient

from conlinucb.errors import InvalidInput
from conlinucb.service.config import (
    DATABASE,
    KEY,
    CatalogueConfig,
    ServiceConfig,
    key_from_environment,
    read_config,
)
from conlinucb.service.http.app import create_app
from conlinucb.service.storage import MEMORY
from support.service_films import (
    TABLE,
    WAIT,
    about,
    assert_folded,
    csv,
    problem,
    served_version,
    settings_with,
    wait_for,
)
from support.service_talk import Talk
from support.service_world import client_of, wait_until_ready

pytestmark = pytest.mark.more  # an application for each file, started again and again


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def clean(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for each in (DATABASE, KEY):
        monkeypatch.delenv(each, raising=False)
    return monkeypatch


def test_no_configuration_is_the_demo(clean: pytest.MonkeyPatch) -> None:
    config = read_config(None)
    assert config.catalogues == {"films": CatalogueConfig(demo=True)}
    assert config.default_catalogue == "films"
    assert (config.host, config.database) == ("127.0.0.1", "sqlite:///conlinucb.db")


TOML = """
database = "sqlite://"
default = "books"
[catalogues.films]
demo = true
[catalogues.books]
file = "tables/books.csv"
d = 2
[catalogues.books.settings]
max_questions = 2
range = [0, 5]
[catalogues.books.settings.agent]
recipe = "conucb"
mix = 0.3
[catalogues.books.settings.agent.schedule]
name = "every"
n = 1
"""


def test_a_configuration_is_served(tmp_path: Path, clean: pytest.MonkeyPatch) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "books.csv").write_bytes(csv(TABLE))
    clean.chdir("/")  # the file is found from where the configuration is
    config = read_config(write(tmp_path / "service.toml", TOML))
    app = create_app(config)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        wait_until_ready(client)
        books = client.get("/v1/catalogues/books").json()
        assert (books["items"], books["d"]) == (3, 2)
        assert books["settings"]["agent"]["mix"] == 0.3
        assert (books["settings"]["range"], books["settings"]["max_questions"]) == ([0, 5], 2)
        assert client.post("/v1/users/ann/next").json()["why"]["strategy"] == "optimal-greedy"
        assert client.get("/v1/catalogues/films").json()["items"] > 50


def test_options_before_environment_before_file(tmp_path: Path, clean: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "service.toml", 'database = "sqlite:///file.db"\nport = 1\nworkers = 2')
    assert read_config(path).database == "sqlite:///file.db"
    clean.setenv(DATABASE, "sqlite:///environment.db")
    assert read_config(path, database=None).database == "sqlite:///environment.db"
    config = read_config(path, database="sqlite:///option.db", port=3, workers=None)
    assert (config.database, config.port, config.workers) == ("sqlite:///option.db", 3, 2)


BAD_TOML: dict[str, tuple[str, str]] = {
    "no TOML": ("database = ", "TOML"),
    "unknown key": ("databse = 'x'", "databse"),
    "port": ("port = 70000", "port"),
    "neither": ("[catalogues.films]", "catalogues.films must have either demo = true or a file"),
    "both": ("[catalogues.films]\ndemo = true\nfile = 'a.csv'", "either"),
    "no such file": ("[catalogues.films]\nfile = 'nowhere.csv'", "nowhere.csv"),
    "settings": ("[catalogues.films]\ndemo = true\nsettings = {range = [1, 0]}", "range"),
    "setting": ("[catalogues.films]\ndemo = true\nsettings = {ranges = [0, 1]}", "ranges"),
}


@pytest.mark.parametrize("case", BAD_TOML)
def test_configurations_that_cannot_be_used(
    tmp_path: Path, clean: pytest.MonkeyPatch, case: str
) -> None:
    text, told = BAD_TOML[case]
    with pytest.raises(InvalidInput) as caught:
        read_config(write(tmp_path / "service.toml", text))
    assert told in str(caught.value)


def test_a_configuration_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nowhere\.toml"):
        read_config(tmp_path / "nowhere.toml")
    (tmp_path / "odd.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match=r"odd\.toml"):
        read_config(tmp_path / "odd.toml")


def test_a_changed_file_is_a_new_version(lasting_url: str, tmp_path: Path) -> None:
    file = tmp_path / "films.csv"
    config: Any = {"films": {"file": file}}
    for last, version in (("z", 1), ("z", 1), ("w", 2), ("w", 2)):
        file.write_bytes(csv(TABLE | {"tag": ["x", "y", "y", last]}))
        with client_of(lasting_url, catalogues=config) as client:
            talk = Talk(client, "films")
            wait_for(talk, version=version)
            assert served_version(talk).catalog.term_ids == ("x", "y", last)
            talk.go_on(8 * version)
            assert_folded(talk)


def test_items_added_to_a_file_outlast_a_restart(lasting_url: str, tmp_path: Path) -> None:
    file = tmp_path / "films.csv"
    file.write_bytes(csv(TABLE))
    config: Any = {"films": {"file": file}}
    with client_of(lasting_url, catalogues=config) as client:
        new = {"items": [{"id": "new", "tags": ["x"]}]}
        assert client.post("/v1/catalogues/films/items", json=new).status_code == 200
    with client_of(lasting_url, catalogues=config) as client:
        assert about(Talk(client, "films"))["items"] == 4


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'service.db'}"


def test_a_changed_file_with_settings_while_people_talk(sqlite: str, tmp_path: Path) -> None:
    file = tmp_path / "films.csv"
    for items, recipe in ((3, "conlinucb"), (4, "conucb")):
        file.write_bytes(csv(TABLE) + b"\nd,x,1" * (items - 3))
        config: Any = {"films": {"file": file, "settings": settings_with(recipe)}}
        with client_of(sqlite, catalogues=config) as client:
            talk = Talk(client, "films")
            wait_for(talk, building=None, items=items)
            wanted = about(talk)["settings"] | settings_with(recipe)
            wait_for(talk, building=None, settings=wanted)
            talk.go_on(12)
            assert_folded(talk)


def test_two_workers_find_a_changed_file(sqlite: str, tmp_path: Path) -> None:
    """Both become ready; one of them wrote the new version, once."""
    file = tmp_path / "films.csv"
    config: Any = {"films": {"file": file}}
    file.write_bytes(csv(TABLE))
    with client_of(sqlite, catalogues=config) as client:
        Talk(client, "films").go_on(8)
    file.write_bytes(csv(TABLE | {"tag": ["x", "y", "y", "w"]}))
    with client_of(sqlite, catalogues=config) as one, client_of(sqlite, catalogues=config) as two:
        talks = [Talk(one, "films"), Talk(two, "films")]
        for each in talks:
            wait_for(each, version=2, building=None)
            assert_folded(each)


def test_a_file_that_is_mended_is_served_without_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "films.csv"
    file.write_bytes(b"item,tag\na,\n")
    config = ServiceConfig(database=MEMORY, catalogues={"films": CatalogueConfig(file=file)})
    with TestClient(create_app(config), base_url="http://127.0.0.1") as client:
        assert client.get("/readyz").status_code == 503
        wait_for_readiness(client, '"catalogue films":"cannot be had"')
        assert str(tmp_path) not in client.get("/readyz").text
        status, code, message = problem(client.post("/v1/users/ann/next"))
        assert (status, code) == (503, "catalogue_unavailable")
        assert "blank" in message
        file.write_bytes(csv(TABLE))
        wait_for_readiness(client, '"status":"ok"')
        assert client.post("/v1/users/ann/next").status_code == 200


def wait_for_readiness(client: TestClient, text: str) -> None:
    """Until this is in what the service says of its readiness."""
    deadline = time.monotonic() + WAIT
    while text not in (said := client.get("/readyz").text):
        assert time.monotonic() < deadline, said
        time.sleep(0.05)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_a_public_address_needs_a_key(clean: pytest.MonkeyPatch, host: str) -> None:
    with pytest.raises(InvalidInput, match=KEY):
        key_from_environment(ServiceConfig(host=host))
    clean.setenv(KEY, "k" * 16)
    assert key_from_environment(ServiceConfig(host=host)) == "k" * 16


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.9.9.9"])
def test_a_loopback_address_needs_none(clean: pytest.MonkeyPatch, host: str) -> None:
    assert key_from_environment(ServiceConfig(host=host)) is None
    clean.setenv(KEY, "")
    assert key_from_environment(ServiceConfig(host=host)) is None


def test_a_short_key_is_refused_and_not_shown(clean: pytest.MonkeyPatch) -> None:
    clean.setenv(KEY, "secret")
    with pytest.raises(InvalidInput, match="at least 16 characters, it has 6") as caught:
        key_from_environment(ServiceConfig())
    assert "secret" not in str(caught.value)


def test_an_agent_that_cannot_be_made_is_refused_before_the_start(tmp_path: Path) -> None:
    file = tmp_path / "service.toml"
    file.write_text(
        "[catalogues.films]\ndemo = true\n"
        '[catalogues.films.settings.agent]\nrecipe = "conlinucb"\nstrategy = "max-radus"\n'
    )
    with pytest.raises(InvalidInput, match="Did you mean 'max-radius'"):
        read_config(file)


def test_no_route_is_built_while_requests_come(monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(ServiceConfig(database=MEMORY))

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a route is built late, beside the threads at work")

    monkeypatch.setattr(fastapi.routing, "get_dependant", refuse)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        assert client.get("/healthz").status_code == 200
        wait_until_ready(client)
        assert client.get("/v1/openapi.json").status_code == 200
        assert client.get("/nowhere").status_code == 404


def test_a_catalogue_that_cannot_be_read_keeps_no_other_down(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bad, absent = tmp_path / "bad.csv", tmp_path / "absent.csv"
    bad.write_bytes(b"one,two\n1,2\n")
    wanted = {
        "bad": CatalogueConfig(file=bad),
        "absent": CatalogueConfig(file=absent),
        "films": CatalogueConfig(demo=True),
    }
    config = ServiceConfig(database=MEMORY, catalogues=wanted)
    with TestClient(create_app(config), base_url="http://127.0.0.1") as client:
        wait_for_readiness(client, '"status":"ok"')
        for name in ("bad", "absent"):
            status, code, message = problem(client.post(f"/v1/users/ann/next?catalogue={name}"))
            assert (status, code) == (503, "catalogue_unavailable")
            assert name in message
            assert client.get("/readyz").json()["checks"][f"catalogue {name}"] == "cannot be had"
        assert str(tmp_path) not in client.get("/readyz").text
        assert all(f"catalogue {name}: " in caplog.text for name in ("bad", "absent"))
        assert client.post("/v1/users/ann/next?catalogue=films").status_code == 200

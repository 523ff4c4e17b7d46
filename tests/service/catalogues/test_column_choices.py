"""Whoever uploads a table says what its columns are for; of all others it is guessed."""

from __future__ import annotations

import io
from typing import Any
from urllib.parse import urlencode

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from fastapi.testclient import TestClient

from conlinucb.errors import InvalidInput
from conlinucb.service.catalogues.choices import ROLES
from conlinucb.service.catalogues.uploads import Upload, columns_in, from_table
from support import service_films
from support.service_films import items, problem

name = service_films.name
GERMAN = "Titel;Stichworte;Jahrgang\nHeat;crime|city;1995\nAlien;space;1979\nRonin;crime;1998\n"
SAID = ["item:Titel", "topic:Stichworte", "year:Jahrgang"]
TOPICS = {"Heat": {"crime", "city"}, "Alien": {"space"}, "Ronin": {"crime"}}


def read(text: str, *columns: str) -> Upload:
    return from_table(text.encode(), ".csv", columns=columns)


def uses(upload: Upload) -> dict[str, str | None]:
    return {each.name: each.used_as for each in upload.understood.columns}


def topics(upload: Upload) -> dict[str, set[str]]:
    catalog = upload.content.catalog
    rows = catalog.weights.toarray()
    return {
        str(item): {str(tag) for tag, weight in zip(catalog.term_ids, row, strict=True) if weight}
        for item, row in zip(catalog.arm_ids, rows, strict=True)
    }


def address(path: str, *columns: str) -> str:
    return f"{path}?{urlencode([('column', each) for each in columns])}"


def send(client: TestClient, method: str, path: str, body: str, *columns: str) -> Any:
    kind = {"content-type": "text/csv"}
    return client.request(method, address(path, *columns), content=body.encode(), headers=kind)


def test_names_of_any_language() -> None:
    with pytest.raises(InvalidInput, match="Or say which one it is: column=item:NAME"):
        read(GERMAN)
    upload = read(GERMAN, *SAID)
    assert topics(upload) == TOPICS
    assert upload.content.details["Heat"] == {"year": 1995}
    assert upload.understood.warnings == []


def test_what_is_chosen_goes_before_what_is_guessed() -> None:
    table = "film,director,genre\nHeat,Mann,crime\nAli,Mann,boxing\nAlien,Scott,space\n"
    assert uses(read(table)) == {"film": "item", "director": "subtitle", "genre": "topic"}
    also = read(table, "topic:director")
    assert uses(also) == {"film": "item", "director": "topic", "genre": "topic"}
    assert topics(also)["Ali"] == {"Mann", "boxing"}
    other = read(table, "item:director")
    assert uses(other) == {"film": "title", "director": "item", "genre": "topic"}
    assert topics(other)["Mann"] == {"crime", "boxing"}
    instead = read(table, "topic:director", "unused:genre")
    assert uses(instead) == {"film": "item", "director": "topic", "genre": None}
    assert instead.understood.warnings == []  # what was said need not be pointed out


def test_an_id_that_is_chosen_names_the_item() -> None:
    table = "id,film,genre\n1,Heat,crime\n2,Heat,city\n3,Alien,space\n4,Alien,horror\n"
    assert uses(read(table)) == {"id": None, "film": "item", "genre": "topic"}
    chosen = read(table, "item:id")
    assert uses(chosen) == {"id": "item", "film": "title", "genre": "topic"}
    assert len(chosen.content.catalog) == 4


MARKED = "name,vegan,quick,kitchen\nSoup,1,0,French\nPie,0,1,Dutch\nTea,1,1,British\n"


def test_columns_of_yes_and_no_may_be_chosen_or_left_out() -> None:
    assert uses(read(MARKED))["kitchen"] is None
    both = read(MARKED, "topic:kitchen")
    assert both.understood.layout == "wide"
    assert topics(both)["Tea"] == {"vegan", "quick", "British"}
    assert topics(read(MARKED, "topic:kitchen", "unused:vegan", "unused:quick"))["Tea"] == {
        "British"
    }
    tagged = MARKED.replace("kitchen", "tag")
    assert uses(read(tagged))["vegan"] is None
    assert topics(read(tagged, "topic:vegan"))["Soup"] == {"vegan", "French"}
    alone = read(tagged, "topic:vegan", "unused:tag", "unused:quick")
    assert (alone.understood.layout, topics(alone)["Soup"]) == ("columns", {"vegan"})


def test_a_weight_that_counts_nothing_is_pointed_out() -> None:
    table = MARKED.replace("kitchen", "minutes").replace("French", "30").replace("Dutch", "60")
    said = read(table.replace("British", "5"), "weight:minutes").understood.warnings
    assert "Numbers in 'minutes' are not used" in said[0]


def test_columns_of_parquet() -> None:
    table = pa.table({" Titel": ["Heat", "Alien"], "Sorte": ["crime", "space"]})
    file = io.BytesIO()
    parquet.write_table(table, file)
    columns = ["item:Titel", "topic:Sorte"]
    upload = from_table(file.getvalue(), ".parquet", columns=columns)
    assert topics(upload) == {"Heat": {"crime"}, "Alien": {"space"}}


def test_a_separator_is_the_one_that_parts_what_was_chosen() -> None:
    table = "Titel, kurz;Sorte\nHeat, 1;crime\nAlien, 2;space\n"
    assert topics(read(table, "item:Titel, kurz", "topic:Sorte"))["Heat, 1"] == {"crime"}


def test_vectors_may_be_left_out() -> None:
    table = "film,e1,e2,e3,kind\nHeat,.9,0,.5,a\nAlien,0,.9,.5,b\nRonin,.9,.8,.1,a\n"
    without = read(table, "unused:e3")
    assert uses(without) == {
        "film": "item",
        "e1": "vector",
        "e2": "vector",
        "e3": None,
        "kind": None,
    }


REFUSED = {
    ("Titel",): "column must be ROLE:NAME, such as item:Film, with one of the roles item, topic,",
    ("film:Titel",): "got 'film:Titel'",
    ("item:Title",): "'Title' is for item, but the table has no such column. Did you mean 'Titel'?",
    ("item:Titel", "item:Jahrgang"): "'Titel' and 'Jahrgang' are both for item: only one column",
    ("item:Titel", "topic:Titel"): "'Titel' is for item and for topic: choose one",
    ("item:Titel", "unused:Stichworte"): "names no column of topics: call one tag",
}


@pytest.mark.parametrize("columns", REFUSED)
@pytest.mark.parametrize("path", ["POST /v1/catalogues/preview", "PUT /v1/catalogues/german"])
def test_choices_that_cannot_be(memory: TestClient, path: str, columns: tuple[str, ...]) -> None:
    status, code, message = problem(send(memory, *path.split(), GERMAN, *columns))
    assert (status, code) == (422, "invalid_input")
    assert REFUSED[columns] in message
    assert memory.get("/v1/catalogues/german").status_code == 404


def test_two_columns_of_one_name_cannot_be_told_apart() -> None:
    with pytest.raises(InvalidInput, match="2 columns have this name"):
        read("Titel;Sorte;Sorte\na;x;y\n", "item:Titel", "topic:Sorte")


def test_json_has_no_columns(memory: TestClient) -> None:
    for each in ("preview", "columns"):
        path = address(f"/v1/catalogues/{each}", "item:id")
        status, code, message = problem(memory.post(path, json={"items": items()}))
        assert (status, code) == (422, "invalid_input")
        assert message.startswith("column is for tables, got 'item:id'")
    assert memory.post("/v1/catalogues/columns", json={"items": items()}).json() == []
    assert memory.post("/v1/catalogues/columns", json=[None]).status_code == 422


def test_what_is_previewed_is_put_into_service(memory: TestClient, name: str) -> None:
    found = send(memory, "POST", "/v1/catalogues/preview", GERMAN, *SAID).json()
    assert (found["items"], found["topics"]) == (3, 3)
    put = send(memory, "PUT", f"/v1/catalogues/{name}", GERMAN, *SAID)
    assert put.json()["understood"] == found["understood"]
    assert (put.json()["items"], put.json()["terms"]) == (3, 3)


def test_columns_are_told_even_where_the_table_cannot_be_used(memory: TestClient) -> None:
    def told(body: str, *columns: str) -> dict[str, str | None]:
        response = send(memory, "POST", "/v1/catalogues/columns", body, *columns)
        assert response.status_code == 200, response.text
        return {each["name"]: each["used_as"] for each in response.json()}

    assert told(GERMAN) == {"Titel": None, "Stichworte": None, "Jahrgang": None}
    assert told(GERMAN, "item:Titel")["Titel"] == "item"
    assert told(MARKED.replace("name", "Gericht"))["vegan"] == "topic"
    assert told("Werk,e1,e2\nHeat,.9,0\nAlien,0,.9\n") == {
        "Werk": None,
        "e1": "vector",
        "e2": "vector",
    }
    kind = {"content-type": "text/plain"}
    assert memory.post("/v1/catalogues/columns", content=b"x", headers=kind).status_code == 415


def test_they_are_the_same_as_in_the_preview() -> None:
    for table in (GERMAN.replace("Titel", "Film").replace("Stichworte", "Tags"), MARKED):
        assert columns_in(table.encode(), ".csv") == read(table).understood.columns


def test_roles_are_described(memory: TestClient) -> None:
    paths = memory.get("/v1/openapi.json").json()["paths"]
    for method, path in (("post", "preview"), ("put", "{name}"), ("post", "columns")):
        parameters = paths[f"/v1/catalogues/{path}"][method]["parameters"]
        told = next(each for each in parameters if each["name"] == "column")
        assert all(role in told["description"] for role in ROLES)

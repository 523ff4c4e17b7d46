"""What is small when it is sent and large inside is refused before it is unpacked."""

from __future__ import annotations

import io
import resource
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from fastapi.testclient import TestClient

from conlinucb.errors import InvalidInput
from conlinucb.service.catalogues import allowance
from conlinucb.service.catalogues.allowance import Allowance
from conlinucb.service.catalogues.uploads import from_table
from support.service_world import client_of

PARQUET = "application/vnd.apache.parquet"


def packed(columns: dict[str, Any], **options: Any) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file, **options)
    return file.getvalue()


def repeated(rows: int, size: int) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["a" * size]))


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with client_of(unpacked_megabytes=20) as found:
        yield found


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ({"item": repeated(400_000, 150), "tag": repeated(400_000, 150)}, {}),
        (
            {"item": ["a" * 150] * 400_000, "tag": ["b"] * 400_000},
            {"use_dictionary": False, "compression": "zstd"},
        ),
        (
            {"item": [f"{each}" for each in range(3_000_000)], "tag": ["b"] * 3_000_000},
            {"compression": "zstd"},
        ),
    ],
    ids=["one text again and again", "compressed", "many short ones"],
)
@pytest.mark.parametrize("path", ["/v1/catalogues/preview", "/v1/catalogues/bomb"])
def test_a_small_file_that_is_large_inside(
    client: TestClient, columns: dict[str, Any], options: dict[str, Any], path: str
) -> None:
    method = "POST" if path.endswith("preview") else "PUT"
    sent = packed(columns, **options)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    response = client.request(method, path, content=sent, headers={"content-type": PARQUET})
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    assert response.status_code == 422, response.text
    assert "at most 20,000,000 are taken (unpacked_megabytes)" in response.text
    assert grown < 60_000_000
    assert client.get("/v1/catalogues/bomb").status_code == 404


def test_what_fits_is_read_as_before(client: TestClient) -> None:
    columns = {"item": ["a", "b", "b"], "tag": ["x", "x", "y"], "weight": [1.0, 0.5, 1.0]}
    response = client.put(
        "/v1/catalogues/small", content=packed(columns), headers={"content-type": PARQUET}
    )
    assert response.status_code == 200, response.text
    assert (response.json()["items"], response.json()["terms"]) == (2, 2)


def test_too_many_cells() -> None:
    few = Allowance(cells=30)
    text = "item,tag,year\n" + "a,b,\n" * 20
    for sent, kind in (
        (text.encode(), ".csv"),
        (packed({"item": ["a"] * 20, "tag": ["b"] * 20}), ".parquet"),
    ):
        with pytest.raises(InvalidInput, match="at most 30 cells are taken"):
            from_table(sent, kind, allowance=few)


def test_too_many_topics(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "MOST_TOPICS", 5)
    items = [{"id": f"item {each}", "tags": [f"topic {each}"]} for each in range(6)]
    response = client.put("/v1/catalogues/broad", json={"items": items})
    assert response.status_code == 422
    assert "There are 6 topics; at most 5 are taken." in response.text
    lines = "\n".join(f"{each['id']},{each['tags'][0]}" for each in items)
    table = f"item,tag\n{lines}\n".encode()
    response = client.put(
        "/v1/catalogues/broad", content=table, headers={"content-type": "text/csv"}
    )
    assert "There are 6 topics; at most 5 are taken." in response.text


def test_features_that_would_be_too_large(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allowance, "LARGEST_FEATURES", 8 * 100 * 8 - 1)
    items = [{"id": f"item {each}", "tags": [f"topic {each % 2}"]} for each in range(6)]
    response = client.put("/v1/catalogues/deep", json={"items": items, "d": 100})
    assert response.status_code == 422
    assert "6 items and 2 topics of 100 features are 6,400 bytes" in response.text
    assert client.put("/v1/catalogues/deep", json={"items": items, "d": 99}).status_code == 200


def test_an_upload_that_takes_too_long() -> None:
    slow = Allowance(seconds=0.0)
    with pytest.raises(InvalidInput, match=r"took 0 seconds so far; at most 0 are taken"):
        from_table(b"item,tag\na,b\n", ".csv", allowance=slow)

"""A strategy and an estimator of one's own, named in the service's configuration file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

from conlinucb.service.config import read_config
from conlinucb.service.http.app import create_app
from support.service_world import wait_until_ready

MODULE = """
import conlinucb as cl

class Ends:
    \"\"\"Asks which of the first and the last is liked more.\"\"\"
    name = "ends"
    kind = "pair"
    def choose(self, view):
        return int(view.offered[0]), int(view.offered[-1])

class Doubled(cl.Ridge):
    \"\"\"Takes everything for twice what it is.\"\"\"
    name = "doubled"
    def learn_arm(self, state, x, value, weight=1.0):
        super().learn_arm(state, x, 2 * value, weight)
"""
CONFIG = """
database = "sqlite:///{database}"

[catalogues.films]
demo = true

[catalogues.films.settings.agent]
recipe = "own"
strategy = "own_parts_of_a_service:Ends"
estimator = {{ name = "own_parts_of_a_service:Doubled", beta = 0.5 }}
schedule = {{ name = "linear", b = 1.0 }}
"""


@pytest.fixture
def config(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "own_parts_of_a_service.py").write_text(MODULE)
    path = tmp_path / "service.toml"
    path.write_text(CONFIG.format(database=tmp_path / "service.db"))
    before = list(sys.path)
    yield path
    sys.path[:] = before
    sys.modules.pop("own_parts_of_a_service", None)


def test_a_conversation_with_parts_of_ones_own(config: Path) -> None:
    settings = read_config(config)
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        wait_until_ready(client)
        path = "/v1/users/ann"
        question = client.post(f"{path}/next").json()
        first, last = question["terms"]
        assert (question["about"], question["why"]["strategy"]) == ("pair", "ends")
        assert question["text"] == f"Do you like {first} more than {last}?"
        answer = {"question": question["question"], "answer": "yes"}
        assert client.post(f"{path}/answers", json=answer).status_code == 200
        beliefs = {each["term"]: each["mean"] for each in client.get(path).json()["terms"]}
        assert beliefs[first] > beliefs[last]
        shown = client.post(f"{path}/next").json()
        assert shown["type"] == "recommendation"
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as again:
        wait_until_ready(again)
        kept = {each["term"]: each["mean"] for each in again.get(path).json()["terms"]}
    assert np.allclose(list(kept.values()), list(beliefs.values()))

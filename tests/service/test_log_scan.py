"""The search of the logs finds what it is there to find."""

from __future__ import annotations

import logging

import httpx2 as httpx
import pytest

from support import log_scan


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_scan, "lines", {})
    monkeypatch.setattr(log_scan, "secrets", set())
    monkeypatch.setattr(log_scan, "people", set())


@pytest.mark.usefixtures("empty")
def test_keys_people_and_visitors_are_found() -> None:
    headers = {"authorization": "Bearer a-key-of-this-test"}
    log_scan.note_request(
        httpx.Request("GET", "http://x/v1/users/zo%C3%AB-7/next", headers=headers)
    )
    logging.getLogger("conlinucb.service").warning("%s said no, with a-key-of-this-test", "zoë-7")
    leaking = [
        "ERROR 'zoë-7' was deleted just now",
        "Authorization: Bearer a-key-of-this-test",
        f"made clu_{'x' * 43}",
        f"person page-{'0' * 64}",
    ]
    log_scan.note_text("\n".join([*leaking, "all is well, zoë-77", "clu_ is how keys begin"]))
    found = log_scan.leaks()
    assert len(found) == 5
    assert [line for line in leaking if any(line in each for each in found)] == leaking

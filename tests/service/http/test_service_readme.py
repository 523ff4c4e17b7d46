"""The README's first use of the service, line by line, on a real server."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import httpx2 as httpx

from support.service_world import serving

README = Path(__file__).parents[3] / "README.md"


def curl_lines() -> list[list[str]]:
    lines = README.read_text(encoding="utf-8").splitlines()
    return [shlex.split(line) for line in lines if line.startswith("curl ")]


def carried_out(words: list[str], base: str) -> Any:
    """What curl would do with these words."""
    assert words[1:3] == ["-X", "POST"]
    address = words[3].replace("localhost:8000", base)
    given = dict(zip(words[4::2], words[5::2], strict=True))
    assert set(given) <= {"-H", "-d"}, given
    name, _, value = given.get("-H", "accept: */*").partition(": ")
    return httpx.post(address, headers={name: value}, content=given.get("-d", "").encode())


def test_the_four_lines_are_a_conversation(tmp_path: Path) -> None:
    lines = curl_lines()
    assert len(lines) == 4
    with serving(f"sqlite:///{tmp_path / 'first.db'}") as server:
        answers = [carried_out(words, server.base) for words in lines]
    assert [each.status_code for each in answers] == [200, 200, 200, 200]
    assert [each.json().get("type") for each in answers] == [
        *("question", None, "recommendation", None)
    ]

"""``conlinucb keys make|list|rotate|revoke|clear`` on a service's database."""

from __future__ import annotations

from pathlib import Path

import pytest

from conlinucb.service.storage import Storage
from conlinucb.service.storage.keys import PREFIX, digest_of
from support.service_commands import Done, run


def keys(url: str, *words: str) -> Done:
    return run(["keys", *words], url)


def made(done: Done) -> str:
    """The key, which is the last line."""
    assert (done.code, done.error) == (0, None), done.output
    key = done.lines[-1]
    assert key.startswith(PREFIX)
    assert len(key) == len(PREFIX) + 43
    return key


def test_a_key_s_whole_life(lasting_url: str) -> None:
    words = ("--name", "shop", "--scope", "use", "--scope", "build", "--catalogue", "films")
    first = made(keys(lasting_url, "make", *words, "--days", "30"))
    listed = keys(lasting_url, "list").lines
    assert len(listed) == 1
    assert listed[0].startswith("shop  build, use  films  ")
    assert "  until 20" in listed[0]
    second = made(keys(lasting_url, "rotate", "shop", "--overlap", "24h"))
    storage = Storage(lasting_url)
    old, new = storage.keys.all()
    assert (old.digest, new.digest) == (digest_of(first), digest_of(second))
    assert old.until is not None
    assert abs(old.until - new.at - 24 * 3600 * 1_000_000) < 60_000_000
    assert new.until is not None
    assert (new.scopes, new.catalogue) == (frozenset({"use", "build"}), "films")
    assert abs((new.until - new.at) - 30 * 86_400 * 1_000_000) < 60_000_000
    done = keys(lasting_url, "revoke", "shop")
    assert done.lines == ["shop: 2 keys revoked"]
    assert all("revoked 20" in line for line in keys(lasting_url, "list").lines)
    assert keys(lasting_url, "clear").lines == ["2 keys forgotten"]
    assert keys(lasting_url, "list").lines == ["there are no keys"]
    storage.close()


def test_keys_are_in_no_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    key = made(keys(url, "make", "--name", "app", "--scope", "use"))
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert key.encode() not in held
    assert key.removeprefix(PREFIX).encode() not in held
    assert digest_of(key).encode() in held


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("make", "--name", "a b", "--scope", "use"), "'a b'"),
        (("make", "--name", "app", "--scope", "all"), "use, build, admin, got 'all'"),
        (("make", "--name", "app", "--scope", "use", "--days", "0"), "got 0"),
        (("make", "--name", "there", "--scope", "use"), "already"),
        (("rotate", "ther"), "Did you mean 'there'"),
        (("rotate", "there", "--overlap", "a day"), "'a day'"),
        (("revoke", "gone"), "'gone'"),
    ],
)
def test_refusals(tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    made(keys(url, "make", "--name", "there", "--scope", "use"))
    done = keys(url, *words)
    assert done.code == 1
    assert says in str(done.error)


def test_no_keys_where_nothing_lasts_and_nothing_is() -> None:
    assert "memory" in str(keys("sqlite://", "make", "--name", "a", "--scope", "use").error)
    assert "no database" in str(keys("sqlite:///nowhere-at-all.db", "list").error)

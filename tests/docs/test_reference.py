"""The Python reference says of every public name what its parameters are, and shows it."""

from __future__ import annotations

import doctest
import importlib
from typing import Any

import pytest
from docs.generate import api
from docs.generate.examples import START, example_of
from docs.generate.parameters import parameters_of, section, words_of
from docs.generate.shown import BLOCKS, ELSEWHERE
from docs.generate.words import OWN, SHARED

import conlinucb as cl

PUBLIC: dict[str, tuple[str, Any]] = {
    name: ("conlinucb", getattr(cl, name)) for name in cl.__all__ if callable(getattr(cl, name))
} | {
    name: (module, getattr(importlib.import_module(module), name))
    for module, _ in api.MODULES.values()
    for name in api.names_of(importlib.import_module(module))
    if callable(getattr(importlib.import_module(module), name))
}


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_parameter_is_described(name: str) -> None:
    value = PUBLIC[name][1]
    assert [each for each, told in words_of(name, value).items() if not told] == []
    lines = section(name, value)
    for each in parameters_of(value):
        assert any(line.lstrip("*").split(" :")[0] == each for line in lines)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_name_has_an_example(name: str) -> None:
    module, value = PUBLIC[name]
    assert example_of(name, value, module) is not None


@pytest.mark.parametrize("names", BLOCKS)
def test_an_example_runs_and_shows_what_it_is_for(names: str) -> None:
    code = START + BLOCKS[names]
    test = doctest.DocTestParser().get_doctest(code, {}, names, None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0
    for name in names.split():
        assert name in PUBLIC


def test_nothing_is_described_that_is_not_there() -> None:
    known = {name: set(words_of(name, value)) for name, (_, value) in PUBLIC.items()}
    assert set(SHARED) <= set().union(*known.values())
    assert {tuple(each.split(".")) for each in OWN} <= {(a, b) for a in known for b in known[a]}
    shown = " ".join(BLOCKS).split()
    assert len(shown) == len(set(shown))
    assert {each for each in ELSEWHERE if "." not in each} <= set(PUBLIC)


def test_what_nobody_describes_would_be_found() -> None:
    def forgotten(unheard_of: int) -> None:
        pass

    assert words_of("forgotten", forgotten) == {"unheard_of": None}
    assert example_of("forgotten", forgotten) is None

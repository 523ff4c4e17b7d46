"""A slice of a product holds each value, and is chosen the same way every time."""

from __future__ import annotations

import re
import textwrap
from itertools import product

import pytest

from support.tiers import slice_of

pytest_plugins = ["pytester"]


def test_each_value_is_met_and_the_slice_is_no_longer_than_it_must_be() -> None:
    cases = list(product("abc", "12345", "xy"))
    kept = [cases[place] for place in slice_of(cases)]
    assert set().union(*kept) == set("abc12345xy")
    assert len(kept) == 5


def test_values_come_as_evenly_as_may_be() -> None:
    cases = list(product("ab", "123456"))
    kept = [cases[place] for place in slice_of(cases)]
    assert [each for each, _ in kept].count("a") == 3


def test_a_case_with_a_value_of_its_own_is_always_there() -> None:
    cases = ["ax", "ay", "bx", "by", "qx"]
    assert 4 in slice_of(cases)


def test_a_case_on_several_databases_is_on_one_of_them_in_the_first_tier(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeconftest(
        """
        import pytest
        from support import tiers

        @pytest.hookimpl(tryfirst=True)
        def pytest_collection_modifyitems(items):
            tiers.leave_databases(items)

        @pytest.fixture(params=["memory", "sqlite", "postgres"])
        def url(request):
            return request.param
        """
    )
    pytester.makeini("[pytest]\nmarkers = more")
    text = """
        import pytest

        @pytest.mark.parametrize("case", range(30))
        def test_it(url, case):
            print(f"met {case} {url}.")
        """
    pytester.makepyfile(text)
    found = pytester.runpytest_inprocess("-s", "-m", "not more").stdout.str()
    met = re.findall(r"met (\d+) (\w+)\.", found)
    assert sorted(int(case) for case, _ in met) == list(range(30))
    assert {url for _, url in met} == {"memory", "sqlite", "postgres"}
    (pytester.mkdir("storage") / "test_all.py").write_text(textwrap.dedent(text))
    assert pytester.runpytest_inprocess("-m", "not more", "storage").parseoutcomes() == {
        "passed": 90
    }

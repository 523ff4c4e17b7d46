"""What is on its way out works, warns at the line that uses it, and says what to write instead."""

from __future__ import annotations

from typing import Any

import pytest

from conlinucb.deprecation import deprecated, renamed_option


@renamed_option("0.2", "seeds", "repeats")
def simulate(*, repeats: int = 1) -> int:
    """How often."""
    return repeats


def test_a_function_warns_where_it_is_called() -> None:
    @deprecated("0.2", "other()")
    def former(value: int) -> int:
        """Kept."""
        return value + 1

    with pytest.warns(
        DeprecationWarning, match=r"former\(\) is deprecated since 0.2: use other\(\)"
    ) as told:
        assert former(1) == 2
    assert told[0].filename == __file__
    assert former.__doc__ == "Kept."


def test_an_option_is_passed_on_under_its_new_name() -> None:
    old: Any = simulate
    with pytest.warns(DeprecationWarning, match="use repeats=") as told:
        assert old(seeds=4) == 4
    assert told[0].filename == __file__
    assert simulate(repeats=2) == 2  # no warning: warnings are errors here


def test_both_names_at_once_are_refused() -> None:
    old: Any = simulate
    with pytest.raises(TypeError, match="repeats= and its old name seeds="):
        old(seeds=4, repeats=4)

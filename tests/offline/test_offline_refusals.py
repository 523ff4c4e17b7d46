"""What is no log, and logs that say too little: an error or a reason in words, never a number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.offline.estimators import Found, interval
from support import offline

N = 200
LOG: dict[str, Any] = {
    "action": ["a", "b"] * 100,
    "reward": [1.0, 0.0, 0.0, 1.0] * 50,
    "propensity": [0.5] * N,
    "person": [i // 10 for i in range(N)],
}
HALF = {"a": 0.5, "b": 0.5}


def refused(words: str, log: Any = LOG, target: Any = HALF, **options: Any) -> None:
    with pytest.raises(cl.InvalidInput, match=words):
        cl.evaluate(log, target, **options)


@pytest.mark.parametrize("value", [0.0, -0.1, 1.5, float("nan"), None])
def test_a_propensity_that_cannot_be(value: Any) -> None:
    refused(
        r"'propensity' .* in row 7 \(1 of 200",
        LOG | {"propensity": [0.5] * 7 + [value] + [0.5] * 192},
    )


@pytest.mark.parametrize("name", ["action", "reward", "propensity"])
def test_a_column_that_is_missing(name: str) -> None:
    log = {key: value for key, value in LOG.items() if key != name} | {name[:-1]: LOG[name]}
    refused(f"no column '{name}'.*Did you mean '{name[:-1]}'", log)


def test_columns_of_other_names() -> None:
    log = {"item" if key == "action" else key: value for key, value in LOG.items()}
    log["user"] = log.pop("person")
    found = cl.evaluate(log, HALF, columns={"action": "item", "person": "user"})
    assert found.people == 20
    refused(
        "no column 'usr'.*Did you mean 'user'", log, columns={"action": "item", "person": "usr"}
    )
    refused("no column is for 'actoin'.*Did you mean 'action'", log, columns={"actoin": "item"})


def test_values_that_are_no_numbers_or_names() -> None:
    refused(
        "'reward' is empty in 1 rows, first in row 3",
        LOG | {"reward": [1.0] * 3 + [None] + [0.0] * 196},
    )
    refused("'reward' must hold numbers", LOG | {"reward": ["good"] * N})
    refused("'propensity' must hold numbers", LOG | {"propensity": ["half"] * N})
    refused("'decison'.*Did you mean 'decision'", LOG | {"kind": ["decison"] * N})
    refused("no decisions", LOG | {"kind": ["reward"] * N})
    refused("no column 'age'", context=["age"])


def test_targets_that_cannot_be() -> None:
    refused("add up to 0.9, not 1", target={"a": 0.5, "b": 0.4})
    refused("from 0 to 1", target={"a": 1.5, "b": -0.5})
    refused("unknown arm, 'b'", target={"a": 1.0})
    refused("a number or 200 of them", target={"a": [0.5] * 3, "b": 0.5})
    refused("no column 'mine'", target="mine")
    refused("from 0 to 1", LOG | {"mine": [2.0] * N}, target="mine")
    refused("got int", target=3)
    refused("is not in that row's pool, 'b'", LOG | {"pool": ["a|b", "b"] * 100})
    refused(r"pool of row 1 is 'b\|c'", LOG | {"pool": ["a|b", "b|c"] * 100})
    refused(r"shape \(200, 20\)", target=np.ones((3, 20)), catalog=offline.CATALOG)


def test_options_that_cannot_be() -> None:
    refused("No estimator is called 'isp'. Did you mean 'ips'", estimators=["isp"])
    refused("clip", clip=0.0)
    refused("folds", folds=1)
    refused("rewards are from 0 to 1", reward_range=(0.0, 0.5))
    refused("least and the largest", reward_range=(1.0, 1.0))
    with pytest.raises(cl.UnknownName, match="Did you mean 'snips'"):
        cl.evaluate(LOG, HALF)["snip"]


def reasons(found: cl.Evaluation) -> dict[str, str]:
    """Why which estimators are refused; those that are have no number."""
    for each in found.estimates.values():
        assert np.isnan([each.value, each.low, each.high]).all() == bool(each.refused)
        assert not (each.refused and each.covers(0.5))
    return {name: each.refused for name, each in found.estimates.items() if each.refused}


def test_thin_overlap_is_refused() -> None:
    log = LOG | {"propensity": [0.98, 0.02] * 100, "action": ["a"] * 196 + ["b"] * 4}
    log["propensity"] = [0.98] * 196 + [0.02] * 4
    found = cl.evaluate(log, {"a": 0.0, "b": 1.0}, clustered=False)
    assert set(reasons(found)) == set(cl.offline.ESTIMATORS)
    assert "rests on 4.0 effective decisions of 200, and needs 50" in found["ips"].refused
    assert "refused: overlap is too thin" in str(found)
    assert reasons(cl.evaluate(log, {"a": 0.0, "b": 1.0}, clustered=False, least_effective=3)) == {}


def test_an_arm_that_was_never_logged_is_refused() -> None:
    """No weight is large, yet half of what the target does was never seen: weights average 0.5."""
    log = LOG | {"action": ["a"] * N, "propensity": [1.0] * N}
    found = reasons(cl.evaluate(log, HALF, least_effective=10))
    assert "weights are 0.5 on average and should be 1" in found["ips"]
    assert "rests on 0.0 effective" in found["dm"]
    assert set(found) == set(cl.offline.ESTIMATORS)


def test_propensities_of_another_policy_are_noticed() -> None:
    log = LOG | {"propensity": [0.25] * N}
    assert "propensities are wrong" in reasons(cl.evaluate(log, HALF))["snips"]


def test_a_few_people_give_no_interval() -> None:
    log = LOG | {"person": [i % 9 for i in range(N)]}
    found = cl.evaluate(log, HALF)
    assert set(reasons(found)) == set(cl.offline.ESTIMATORS)
    assert "9 people" in found.logged.refused
    assert reasons(cl.evaluate(log, HALF, clustered=False)) == {}
    one = {key: values[:1] for key, values in LOG.items()}
    assert "one decision" in cl.evaluate(one, HALF, clustered=False)["ips"].refused


def test_the_logged_actions_probability_alone_is_enough_for_weights(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    rows = zip(LOG["action"], LOG["reward"], LOG["propensity"], LOG["person"], strict=True)
    lines = [f"{a},{r},{p},00{g},0.5" for a, r, p, g in rows]
    file.write_text("\n".join(["action,reward,propensity,person,mine", *lines]))
    found = cl.evaluate(str(file), "mine")
    whole = cl.evaluate(LOG, HALF)
    assert set(reasons(found)) == {"dm", "dr"}
    assert "every arm" in found["dr"].refused
    for name in ("replay", "ips", "snips", "clipped"):
        assert found[name] == whole[name]


def test_ids_in_files_are_text(tmp_path: Path) -> None:
    """7 and 007 are two people."""
    file = tmp_path / "log.csv"
    names = [f"{'0' * (i % 2 * 2)}{i // 20}" for i in range(N)]
    rows = zip(LOG["action"], names, strict=True)
    file.write_text(
        "\n".join(["action,reward,propensity,person", *(f"{a},1,0.5,{g}" for a, g in rows)])
    )
    assert cl.evaluate(file, HALF).people == 20


@pytest.mark.parametrize("room", [0.02, 0.1, 0.5])
def test_room_for_bias_is_used_once(room: float) -> None:
    """Wherever in its room the bias is, an estimate that is normal is held in 95 % and more."""
    from scipy import stats

    influence = np.tile([1.0, -1.0], 500)
    low, high = interval(Found(0.0, influence, 1000.0, (0.0, room)), np.arange(1000))
    spread = np.sqrt(1000 / 999 * 1000) / 1000
    for off in (0.0, room):  # the estimate is off the truth by this
        held = stats.t.cdf((off - low) / spread, 999) - stats.t.cdf((off - high) / spread, 999)
        assert held == pytest.approx(0.95, abs=1e-9)


def test_a_frame_of_what_was_found() -> None:
    frame = cl.evaluate(LOG, HALF).to_frame()
    assert frame["estimator"].tolist() == ["logged", *cl.offline.ESTIMATORS]
    assert frame["value"].notna().all()


def test_rare_rewards_are_printed_with_digits() -> None:
    log = {"action": ["a", "b"] * 500, "reward": ([0.0] * 99 + [2e-5]) * 10,
           "propensity": [0.5] * 1000}  # fmt: skip
    found = cl.evaluate(log, {"a": 0.5, "b": 0.5})
    assert "ips       2.0e-07  [8.0e-08, 3.2e-07]" in str(found)
    assert found.texts()[1][1:4] == ("2.0e-07", "8.0e-08", "3.2e-07")

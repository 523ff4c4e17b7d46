"""Whether 95 % intervals hold the truth in 95 % of the logs, and where they cannot."""

from __future__ import annotations

import pytest

import conlinucb as cl
from support import offline
from support.offline import covered

TRUTH = offline.truth()


def test_most_intervals_hold_the_truth() -> None:
    """Of 40 logs, 38 on average; fewer than 34 have a chance of 1 in 100."""
    assert all(share >= 34 / 40 for share in covered(40, people=100).values())


@pytest.mark.more
def test_95_percent_of_the_intervals_hold_the_truth() -> None:
    shares = covered(500, clip=6.0)  # which cuts a few weights in most logs
    assert all(0.93 <= share <= 0.97 for share in shares.values()), shares


@pytest.mark.more
def test_a_wrong_model_misleads_the_direct_method_alone() -> None:
    shares = covered(200, curve=1.0)
    assert shares.pop("dm") < 0.3
    assert all(share >= 0.9 for share in shares.values()), shares


@pytest.mark.more
def test_clipping_hard_is_biased_and_the_interval_says_so() -> None:
    """Without what is allowed for bias the interval would miss; with it, it never does."""
    alone = whole = 0
    for seed in range(200):
        table, target = offline.log(seed)
        found = cl.evaluate(table, target, catalog=offline.CATALOG, clip=1.0)["clipped"]
        alone += found.low - found.bias[0] <= TRUTH <= found.high - found.bias[1]
        whole += found.covers(TRUTH)
    assert alone < 60
    assert whole >= 198


@pytest.mark.more
def test_taking_one_persons_decisions_for_independent_is_too_sure() -> None:
    shares = covered(300, clustered=False)
    assert shares["dm"] < 0.9

"""What is said of a claim once it was measured: the words, and what each of them means.

A claimed improvement is judged by the 95 % interval of the measured one:

- it **holds** where the whole interval lies above 0 and its upper end reaches the claimed figure;
- it has the **right direction, smaller effect** where the whole interval lies above 0 and below
  the claimed figure;
- it **does not hold** where the interval reaches 0 or lies below it, or where there is none.

A claim without a figure ("better than ConUCB", "best of all") has no smaller effect: it holds, or
it does not. So have the theory's promises: a coverage, a bound on regret.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Verdict = Literal["holds", "right direction, smaller effect", "does not hold", "not claimed"]
HOLDS: Verdict = "holds"
SMALLER: Verdict = "right direction, smaller effect"
FAILS: Verdict = "does not hold"
NOT_CLAIMED: Verdict = "not claimed"


def verdict_on(claimed: float | str | None, low: float | None, high: float | None) -> Verdict:
    """The verdict on an improvement whose interval is from ``low`` to ``high``.

    >>> verdict_on(43.1, 40.0, 45.0), verdict_on(43.1, 37.1, 38.2), verdict_on(43.1, -1.0, 50.0)
    ('holds', 'right direction, smaller effect', 'does not hold')
    >>> verdict_on("better", 0.3, 1.8), verdict_on("better", -0.3, 1.8)
    ('holds', 'does not hold')
    """
    if claimed is None:
        return NOT_CLAIMED
    if low is None or high is None or low <= 0:
        return FAILS
    return HOLDS if isinstance(claimed, str) or high >= claimed else SMALLER


def kept_if(true: bool) -> Verdict:
    """The verdict on what is either so or not."""
    return HOLDS if true else FAILS


def score(verdicts: Sequence[Verdict]) -> str:
    """How many of these claims came to what.

    >>> score([HOLDS, SMALLER, HOLDS, FAILS, FAILS])
    '2 of 5 hold, 1 has the right direction but a smaller effect, 2 do not hold'
    """
    held, smaller, failed = (verdicts.count(each) for each in (HOLDS, SMALLER, FAILS))
    has, does = "has" if smaller == 1 else "have", "does" if failed == 1 else "do"
    return ", ".join(
        [
            f"{held} of {len(verdicts)} hold",
            *([f"{smaller} {has} the right direction but a smaller effect"] if smaller else []),
            *([f"{failed} {does} not hold"] if failed else []),
        ]
    )

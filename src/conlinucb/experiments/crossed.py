"""Both estimates crossed with seven strategies: what comes from which?"""

from __future__ import annotations

from dataclasses import replace

from conlinucb.experiments.item import Item

CROSSED = Item(
    name="crossed",
    kind="crossed",
    title="Estimate and questions taken apart, synthetic data",
    data="synthetic",
    rounds=1000,
    users=200,
    agents=(
        "LinUCB",
        "ConUCB-spanner",
        "ConUCB-max-radius",
        "ConUCB-ucb",
        "ConUCB-random",
        "ConUCB",
        "ConUCB-related-confidence",
        "ConUCB-related-reduction",
        "BS",
        "MCR",
        "UCB",
        "ConLinUCB-random",
        "ConLinUCB-optimal-greedy",
        "ConLinUCB-related-confidence",
        "ConLinUCB-related-reduction",
    ),
    about="ConUCB and ConLinUCB differ in two things at once: how feedback becomes an estimate, "
    "and which key-term is asked. Here each estimate meets each strategy. Under authors and "
    "paper the two estimates keep their own constants, so a difference between them is also one "
    "of constants; under fair every pair is tuned.",
)
CROSSED_LASTFM = replace(
    CROSSED,
    name="crossed-lastfm",
    title="Estimate and questions taken apart, Last.FM",
    data="lastfm",
    rounds=5000,
    users=500,
)

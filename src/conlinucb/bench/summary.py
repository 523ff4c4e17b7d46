"""A benchmark as text, JSON and a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conlinucb.report.pictures import pyplot

Rows = dict[str, list[dict[str, Any]]]
LABELS = {
    "d": "features d",
    "pool": "arms in the pool",
    "terms": "key-terms",
    "users": "users",
}


COLOURS = {
    "LinUCB": "#000000",
    "Arm-Con": "#E69F00",
    "ConUCB": "#009E73",
    "UCB": "#56B4E9",
    "BS": "#0072B2",
    "MCR": "#D55E00",
}
TICKS = [base * 10**power for power in range(-1, 5) for base in (1, 2, 5)]


def line(part: str, row: dict[str, Any]) -> str:
    """One line of the text report."""
    if part == "machine":
        return (
            f"large matrix product: {row['product_multiply_adds'] / 1e9:.1f} billion "
            f"multiply-adds a second\n"
            f"{'':9s}{'user-rounds/s':>14s}{'NumPy loop':>12s}{'times':>7s}{'tuned':>9s}"
            f"{'times':>7s}{'batched':>10s}{'times':>7s}{'of product*':>13s}"
        )
    if part == "algorithms":
        batched = (
            f"{row['batched']:10,.0f}{row['times_batched']:7.0f}"
            if row["batched"]
            else f"{'-':>10s}{'-':>7s}"
        )
        return (
            f"{row['algorithm']:9s}{row['engine']:14,.0f}{row['loop']:12,.0f}"
            f"{row['times_loop']:7.0f}{row['tuned']:9,.0f}{row['times_tuned']:7.0f}"
            f"{batched}{row['of_product']:13.0%}"
        )
    if part == "growth":
        return (
            f"{LABELS[row['size']]:17s}{row['value']:6d}  {row['algorithm']:8s}"
            f"{row['microseconds']:9.2f} us a user-round {row['bytes'] / 1e6:9.2f} MB"
        )
    return (
        f"six algorithms, 200 users, 1,000 rounds, {row['repeats']} repeats in one call: "
        f"{row['seconds']:.1f} s"
    )


FOOTNOTE = (
    "NumPy loop: one user at a time, as the paper's formulas read. tuned: the same with rank-one\n"
    "updates. batched: all users' matrices in one array. engine: all threads; NumPy: one process.\n"
    "* multiply-adds of the plain definition, every radius included, against the product's rate:\n"
    "  above 100 % where lazy evaluation leaves out work that cannot change a decision."
)


def write(rows: Rows, folder: Path) -> list[Path]:
    """Write bench.json and bench.png into ``folder``; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "bench.json"
    data.write_text(json.dumps(rows, indent=1))
    return [data, draw(rows["growth"], folder / "bench.png")] if "growth" in rows else [data]


def draw(growth: list[dict[str, Any]], path: Path) -> Path:
    """How the cost of a round grows with each size."""
    plots = pyplot()
    figure, panels = plots.subplots(
        1, len(LABELS), figsize=(14, 3.6), layout="constrained", sharey=True
    )
    for panel, (size, label) in zip(panels, LABELS.items(), strict=True):
        for algorithm, colour in COLOURS.items():
            mine = [r for r in growth if r["size"] == size and r["algorithm"] == algorithm]
            values, costs = [r["value"] for r in mine], [r["microseconds"] for r in mine]
            panel.loglog(values, costs, marker="o", color=colour, label=algorithm)
        panel.set_xlabel(label)
        panel.set_xticks(values, [f"{v:,}" for v in values])
        panel.minorticks_off()
        panel.grid(alpha=0.3)
    costs = [row["microseconds"] for row in growth]
    ticks = [tick for tick in TICKS if min(costs) / 2 < tick < 2 * max(costs)]
    panels[0].set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    panels[0].set_ylabel("microseconds a user-round")
    panels[0].legend(frameon=False)
    figure.suptitle("Cost of a round (d = 50, pool 50, 500 key-terms unless varied)")
    figure.savefig(path, dpi=130)
    plots.close(figure)
    return path

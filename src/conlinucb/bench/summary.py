"""A benchmark as text, JSON and a picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conlinucb.report.pictures import pyplot
from conlinucb.simulation.looks import assigned

Rows = dict[str, list[dict[str, Any]]]
LABELS = {
    "d": "features d",
    "pool": "arms in the pool",
    "terms": "key-terms",
    "users": "users",
}
TICKS = [base * 10**power for power in range(-1, 5) for base in (1, 2, 5)]


ALGORITHM_HEADS: tuple[str, ...] = (
    "",
    "user-rounds/s",
    "NumPy loop",
    "times",
    "tuned",
    "times",
    "batched",
    "times",
    "of product*",
)
WIDTHS = (9, 14, 12, 7, 9, 7, 10, 7, 13)
LATER_HEADS: tuple[str, ...] = ("", "rounds a second", "us a question")
GROWTH_HEADS: tuple[str, ...] = ("growing", "value", "algorithm", "us a user-round", "MB")


def machine(row: dict[str, Any]) -> str:
    """What the machine can do at best."""
    rate = row["product_multiply_adds"] / 1e9
    return f"large matrix product: {rate:.1f} billion multiply-adds a second"


def algorithm_cells(row: dict[str, Any]) -> list[str]:
    """Under ``ALGORITHM_HEADS``."""
    rates = [f"{row['engine']:,.0f}"]
    for name in ("loop", "tuned", "batched"):
        given = row[name]
        rates += [f"{given:,.0f}", f"{row[f'times_{name}']:.0f}"] if given else ["-", "-"]
    return [row["algorithm"], *rates, f"{row['of_product']:.0%}"]


def algorithm_line(cells: Sequence[str]) -> str:
    """Cells, or heads, on a line of a file."""
    first, *others = zip(cells, WIDTHS, strict=True)
    return f"{first[0]:{first[1]}s}" + "".join(f"{cell:>{width}s}" for cell, width in others)


def later_cells(row: dict[str, Any]) -> list[str]:
    """Under ``LATER_HEADS``."""
    seconds = row["question_seconds"]
    cost = "-" if seconds is None else f"{1e6 * seconds:.0f}"
    return [row["algorithm"], f"{row['engine']:,.0f}", cost]


def later_line(cells: Sequence[str]) -> str:
    """Cells on a line of a file."""
    algorithm, rate, cost = cells
    return f"{algorithm:30s}{rate:>12s} user-rounds/s {cost:>6s} us a question"


def growth_cells(row: dict[str, Any]) -> list[str]:
    """Under ``GROWTH_HEADS``."""
    size, megabytes = LABELS[row["size"]], row["bytes"] / 1e6
    costs = f"{row['microseconds']:.2f}", f"{megabytes:.2f}"
    return [size, str(row["value"]), row["algorithm"], *costs]


def growth_line(cells: Sequence[str]) -> str:
    """Cells on a line of a file."""
    size, value, algorithm, cost, megabytes = cells
    return f"{size:17s}{value:>6s}  {algorithm:8s}{cost:>9s} us a user-round {megabytes:>9s} MB"


def paper(row: dict[str, Any]) -> str:
    """The paper's own comparison."""
    return (
        f"six algorithms, 200 users, 1,000 rounds, {row['repeats']} repeats in one call: "
        f"{row['seconds']:.1f} s"
    )


def shared(row: dict[str, Any]) -> str:
    """An agent whose people share."""
    return f"people who share, {row['algorithm']:20s}{row['engine']:>10,.0f} user-rounds/s"


FOOTNOTE = (
    "NumPy loop: one user at a time, as the paper's formulas read. tuned: the same\n"
    "with rank-one updates. batched: all users' matrices in one array. engine: all\n"
    "threads; NumPy: one process.\n"
    "* multiply-adds of the plain definition, every radius included, against the\n"
    "  product's rate: above 100 % where lazy evaluation leaves out work that cannot\n"
    "  change a decision."
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
    looks = assigned(list(dict.fromkeys(row["algorithm"] for row in growth)))
    figure, panels = plots.subplots(
        1, len(LABELS), figsize=(14, 3.6), layout="constrained", sharey=True
    )
    for panel, (size, label) in zip(panels, LABELS.items(), strict=True):
        for algorithm, look in looks.items():
            mine = [r for r in growth if r["size"] == size and r["algorithm"] == algorithm]
            values, costs = [r["value"] for r in mine], [r["microseconds"] for r in mine]
            panel.loglog(values, costs, label=algorithm, **look.options)
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

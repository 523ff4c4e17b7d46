"""What so many people and items need, as ``benchmarks.capacity`` calculates it."""

from __future__ import annotations

import json

from benchmarks.capacity import Demand, Machine, Plan, table, verdict
from benchmarks.costs import COSTS, Costs

HEAD = """# The capacity model

Calculated when this page was made, by `python -m benchmarks.capacity --people N --items N`, from
costs that were measured. [Scale](../scale.md) says how it was checked and what it leaves out.

"""
PEOPLE = (1_000_000, 10_000_000, 100_000_000)
ITEMS = (10_000, 1_000_000, 10_000_000)


def page() -> str:
    """What is supposed, the plans, what breaks first, and the costs."""
    costs = Costs.load()
    by_people = [Plan(Demand(people=people), costs) for people in PEOPLE]
    return "\n".join([HEAD + _supposed(), _plans(by_people), _breaks(costs), _costs()])


def _supposed() -> str:
    demand, machine = Demand(), Machine()
    return (
        f"Supposed: {demand.events} events of each person, {demand.active:.0%} of the people come "
        f"on a day with {demand.requests:g} requests each, the busiest hour has {demand.peak:g} "
        f"times the mean, no processor is more than half busy. A machine has {machine.cores} "
        f"cores, {machine.memory_gb:g} GB of memory and {machine.disk_gb / 1e3:g} TB of disk; the "
        f"service and each database have machines of their own. All of this can be said on the "
        f"command line but the last.\n"
    )


def _plans(plans: list[Plan]) -> str:
    head, *lines = table(plans)
    rows = [head, ["---"] * len(head), *lines]
    title = f"## {plans[0].demand.items:,} items\n"
    return "\n".join([title, *(f"| {' | '.join(row)} |" for row in rows), ""])


def _breaks(costs: Costs) -> str:
    lines = [
        "## What breaks first\n",
        "Against one machine of the service with all its cores at work, and one database; the "
        "worst first.\n",
        "| people | items | `next`, ms | a worker, GB | machines, databases | what breaks |",
        "|---|---|---|---|---|---|",
    ]
    for people in PEOPLE:
        for items in ITEMS:
            plan = Plan(Demand(people=people, items=items), costs)
            needed = f"{plan.machines:,}, {plan.databases:,}"
            lines.append(
                f"| {people:,} | {items:,} | {plan.warm_ms:,.0f} | {plan.worker_gb:.1f} | "
                f"{needed} | {'<br>'.join(verdict(plan))} |"
            )
    return "\n".join([*lines, ""])


def _costs() -> str:
    known = json.loads(COSTS.read_text("utf-8"))
    lines = [
        "## The costs\n",
        f"Version {known['version']}, {known['day']}, {known['cores']} cores, d = {known['d']}; "
        f"times are of processors. {known.get('note', '')}\n",
        "| cost | value | measured by |",
        "|---|---|---|",
    ]
    for name, each in known["costs"].items():
        lines.append(f"| `{name}` | {each['value']:,g} {each['unit']} | `{each['measured']}` |")
    return "\n".join([*lines, ""])

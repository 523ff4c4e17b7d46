"""A population at a glance: how people differ, whether intervals hold, how the fit climbed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.agent.priors import Population
from conlinucb.agent.priors.fitting.held_out import LEVELS
from conlinucb.report.pictures import pyplot
from conlinucb.report.style import ARMS, METADATA, RC, TERMS, WIDTH
from conlinucb.simulation.looks import picture_type

STAGES = {"some": "a sample", "all": "all people", "answers": "answers too (other events)"}
LINES = {"some": ":", "all": "-", "answers": "--"}


def draw_population(population: Population, path: str | Path) -> Path:
    """Draw three panels into an .svg, .png or .pdf file; its path."""
    path, kind = Path(path), picture_type(path)
    with pyplot().rc_context(RC):
        figure, panels = pyplot().subplots(3, 1, figsize=(WIDTH, 9.6), layout="constrained")
        told = population.summary()
        _title(figure, population, told)
        _differences(panels[0], population)
        _coverage(panels[1], told)
        _climb(panels[2], told)
        figure.savefig(path, dpi=130, metadata=METADATA.get(kind))
        pyplot().close(figure)
    return path


def _title(figure: Any, population: Population, told: dict[str, Any]) -> None:
    events, answers = told.get("events", 0), told.get("answers", 0)
    counts = f"{population.people:,} people, {events:,} rewards, {answers:,} answers"
    scale = f"noise {population.noise:.3g}, slope of answers {population.calibration.slope:.2f}"
    figure.suptitle(f"Population: {counts}\n{scale}", x=0.02, ha="left")


def _differences(panel: Any, population: Population) -> None:
    """Standard deviations of people along the directions they differ in."""
    found = np.sqrt(np.linalg.eigvalsh(population.covariance)[::-1])
    panel.plot(np.arange(1, found.size + 1), found, color=ARMS, marker="o", markersize=4)
    panel.set_ylim(bottom=0.0)
    panel.xaxis.get_major_locator().set_params(integer=True)
    panel.set_xlabel("direction, the widest first")
    panel.set_ylabel("standard deviation")
    panel.set_title("How people differ", loc="left")


def _coverage(panel: Any, told: dict[str, Any]) -> None:
    """Intervals of held-out rewards: how often they should and do hold the truth."""
    panel.plot([0, 1], [0, 1], color="black", linewidth=1.0, label="as it should be")
    looks = (
        ("coverages_before", "before any event", TERMS, "s"),
        ("coverages", "after half of the person's events", ARMS, "o"),
    )
    for name, label, colour, marker in looks:
        if name in told:
            panel.plot(LEVELS, told[name], color=colour, marker=marker, linestyle="", label=label)
    if "coverages" not in told:
        panel.text(0.5, 0.1, "nobody was held out", ha="center")
    panel.set_xlabel("share that intervals should hold")
    panel.set_ylabel("share they hold")
    panel.set_title("Rewards of people held out", loc="left")
    panel.legend(loc="upper left")


def _climb(panel: Any, told: dict[str, Any]) -> None:
    """Log-likelihood of an event, round by round."""
    done = 0
    for stage, values in told.get("history", {}).items():
        at = done + np.arange(len(values))
        name, _, tried = stage.partition(", ")
        label = f"{STAGES[name]}, {tried}" if tried else STAGES[name]
        panel.plot(at, values, color=ARMS, linestyle=LINES[name], label=label)
        done += len(values)
    panel.xaxis.get_major_locator().set_params(integer=True)
    panel.set_xlabel("round of EM")
    panel.set_ylabel("log-likelihood\nof an event")
    panel.set_title("How the fit climbed", loc="left")
    if done:
        panel.legend(loc="lower right")

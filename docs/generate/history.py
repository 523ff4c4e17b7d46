"""How fast each version was: the ratios of ``benchmarks/history.json``, drawn."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from benchmarks.history import Entry, entries

from conlinucb.report.pictures import pyplot
from conlinucb.simulation.looks import METADATA, RC, assigned

HEAD = """# How fast, version by version

Ratios to something that was measured in the same run, so that another machine or other work beside
it changes little: the engine to the same algorithm in NumPy (`conlinucb bench`), and the service to
an endpoint that inserts one row (`conlinucb bench service`). `python -m benchmarks.history add
results/bench/bench.json` appends an entry to `benchmarks/history.json` and says what fell by more
than a tenth. What the baselines are is said by `conlinucb bench`.

"""
PICTURE = "history.svg"
PANELS = (
    ("against a NumPy loop", "times a NumPy loop"),
    ("against a tuned NumPy loop", "times a tuned NumPy loop"),
    ("against NumPy over all users", "times NumPy over all users"),
    ("against a bare insert", "part of a bare insert's requests"),
)
"""How the name of a ratio ends, and what its axis is called."""


def pages() -> dict[str, str]:
    """The page, and its picture where there is an entry."""
    known = entries()
    if not known:
        return {"history.md": HEAD + "No entry yet.\n"}
    return {"history.md": HEAD + _told(known), PICTURE: drawn(known)}


def _told(known: Sequence[Entry]) -> str:
    names = list(dict.fromkeys(name for each in known for name in each["ratios"]))
    heads = [f"{each['version']}, {each['day']}" for each in known]
    lines = [f"| ratio | {' | '.join(heads)} |", "|---|" + "---|" * len(known)]
    for name in names:
        values = (each["ratios"].get(name) for each in known)
        lines.append(f"| {name} | {' | '.join('' if v is None else f'{v:g}' for v in values)} |")
    notes = [f"- {head}: {e['note']}\n" for head, e in zip(heads, known, strict=True) if e["note"]]
    return (
        f"![Each ratio, entry by entry]({PICTURE})\n\n{''.join(notes)}\n" + "\n".join(lines) + "\n"
    )


def drawn(known: Sequence[Entry]) -> str:
    """A panel for each thing that is compared with, as an SVG."""
    plots: Any = pyplot()
    with plots.rc_context({**RC, "svg.fonttype": "path"}):
        figure, panels = plots.subplots(2, 2, figsize=(11, 7.5), layout="constrained")
        for panel, (ending, title) in zip(panels.flat, PANELS, strict=True):
            _panel(panel, known, ending)
            panel.set(title=title, ylim=(0, None), xlim=(-0.4, len(known) - 0.6))
            panel.set_xticks(range(len(known)), [_label(each) for each in known])
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata=METADATA["svg"])
        plots.close(figure)
    return text.getvalue()


def _panel(panel: Any, known: Sequence[Entry], ending: str) -> None:
    every = dict.fromkeys(name for each in known for name in each["ratios"])
    short = {
        name: name.removesuffix(ending).rstrip(" :") for name in every if name.endswith(ending)
    }
    looks = assigned(list(short.values()))
    for name, label in short.items():
        seen = [(i, e["ratios"][name]) for i, e in enumerate(known) if name in e["ratios"]]
        panel.plot(*zip(*seen, strict=True), label=label, **looks[label].options)
    if short:
        panel.legend(fontsize="small", ncols=2 if max(map(len, short.values())) < 20 else 1)


def _label(entry: Entry) -> str:
    return f"{entry['version']}\n{entry['day']}"

"""Every picture of the numbered examples as a file: python examples/draw_all.py FOLDER."""

from __future__ import annotations

import runpy
import sys
import warnings
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # no windows

from matplotlib import pyplot as plt


def drawn(script: Path, folder: Path) -> tuple[dict[str, Any], list[Path]]:
    """Run one example: what it named, and the files its pictures went to."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
        named = runpy.run_path(str(script), run_name="__main__")
    files = [folder / f"{script.stem}-{number}.png" for number in plt.get_fignums()]
    for file, number in zip(files, plt.get_fignums(), strict=True):
        plt.figure(number).savefig(file, dpi=110)
    plt.close("all")
    return named, files


if __name__ == "__main__":
    to = Path(sys.argv[1])
    to.mkdir(parents=True, exist_ok=True)
    for example in sorted(Path(__file__).parent.glob("[0-9][0-9]_*.py")):
        print(f"== {example.name}")
        drawn(example, to)

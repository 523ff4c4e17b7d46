"""The Python interface: a page for each group of public names, from their docstrings."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType
from typing import Any

import conlinucb

GROUPS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "catalogues": (
        "Catalogues",
        "Arms, key-terms, and how tables become them.",
        ("Catalog", "Table"),
    ),
    "agents": (
        "Agents",
        "Algorithms by name, and the verbs that drive them.",
        (
            *("linucb", "arm_con", "conucb", "relative_conucb", "conlinucb", "logistic"),
            *("for_newcomers", "hcb", "phcb", "ctof_conucb", "ctof_conlinucb"),
            *("graph_conucb", "graph_conlinucb", "conduel", "conts", "hier_linucb"),
            *("Agent", "User", "Question", "Picked", "Advice", "OwnRounds"),
        ),
    ),
    "parts": (
        "Parts of an agent",
        "Estimators, priors, strategies, schedules, ways to select.",
        (
            *("Ridge", "TwoStep", "Logistic", "Estimator", "State", "Kernels", "learn_kernel"),
            *("Isotropic", "Gaussian", "Population"),
            *("STRATEGIES", "View", "strategy_kernel", "Growing", "Spanner", "barycentric_spanner"),
            *("Design", "optimal_design"),
            *("Never", "Logarithmic", "Linear", "Every", "WhenWorth", "WhereThin", "TheoryAlpha"),
            *("Thompson", "EpsilonGreedy"),
            *("Sometimes", "FirstRounds", "Uncertain", "WorthLearning"),
            *("Recommended", "rewards_kernel"),
        ),
    ),
    "sharing": (
        "People who share",
        "Agents whose people learn from each other: groups that are known or found.",
        ("Crowd", "Sharing", "Groups", "KMeans", "Clusters"),
    ),
    "people": (
        "People",
        "Who answers: simulated or out of a log.",
        (
            *("People", "Place", "Round", "Draw", "Opinions", "play_round", "Happened"),
            *("LinearUsers", "ClickUsers", "LoggedPeople"),
            *("Compares", "YesNo", "Refuses", "Lies", "Drifts"),
        ),
    ),
    "experiments": (
        "Experiments",
        "Many agents on the same rounds; results, comparisons, searches for parameters.",
        (
            *("simulate", "Results", "Summary", "Comparison", "Comparisons"),
            *("tune", "Tuned", "Space", "Halving", "Uniform", "Log", "Logit", "Whole", "Choice"),
        ),
    ),
    "offline": (
        "Offline evaluation",
        "What another way to choose would have earned, from a log.",
        ("evaluate", "Evaluation", "Estimate", "read_export", "synthetic_log", "SyntheticLog"),
    ),
    "errors": (
        "Errors",
        "Everything raised on purpose is a ConlinucbError that says what came in.",
        (
            *("ConlinucbError", "InvalidInput", "UnknownName", "IncompatibleState"),
            *("QuestionClosed", "StrategyError", "MissingExtra", "RankWarning"),
        ),
    ),
}
"""Page -> title, what it is about, the names of ``conlinucb`` on it."""
MODULES: dict[str, tuple[str, str]] = {
    "theory": ("conlinucb.theory", "The paper's bounds"),
    "datasets": ("conlinucb.datasets", "Data sets"),
    "checks": ("conlinucb.checks", "Checks for parts of your own"),
    "client": ("conlinucb.client", "A client of the service"),
    "randomness": ("conlinucb.randomness", "Draws by position"),
}
"""Pages that list a public module whole."""
OWN_PAGES = {"theory", "datasets", "__version__"}
"""Public names that are modules with pages of their own, or no object to describe."""


def names_of(module: ModuleType) -> list[str]:
    """What a module offers: ``__all__``, or what it defines itself without an underscore."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return [name for name in listed if not isinstance(getattr(module, name), ModuleType)]
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]


def pages() -> dict[str, str]:
    """Every page by its name; an error where a public name is on none."""
    placed = {name for _, _, names in GROUPS.values() for name in names}
    missing = set(conlinucb.__all__) - placed - OWN_PAGES
    every = [name for _, _, names in GROUPS.values() for name in names]
    unknown = (placed - set(conlinucb.__all__)) | {n for n in every if every.count(n) > 1}
    if missing or unknown:
        raise LookupError(
            f"docs/generate/api.py: public names without a page: {sorted(missing)}; names on a "
            f"page that are not public, or on two: {sorted(unknown)}."
        )
    found = {page: _page(*given) for page, given in GROUPS.items()}
    for page, (module, title) in MODULES.items():
        found[page] = _module_page(module, title)
    return {"index": _index(), **found}


def _index() -> str:
    rows = [_row(page, title, about) for page, (title, about, _) in GROUPS.items()]
    rows += [_row(page, title, f"``{module}``") for page, (module, title) in MODULES.items()]
    tree = "".join(f"   {page}\n" for page in (*GROUPS, *MODULES))
    return (
        f"{_title('Python', '=')}Every public name, with its parameters and an example. ``import "
        f"conlinucb as cl`` gives those of the first {len(GROUPS)} pages.\n\n"
        f".. list-table::\n\n{''.join(rows)}\n.. toctree::\n   :hidden:\n\n{tree}"
    )


def _row(page: str, title: str, about: str) -> str:
    return f"   * - :doc:`{title} <{page}>`\n     - {about}\n"


def _title(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n\n"


def _page(title: str, about: str, names: tuple[str, ...]) -> str:
    listed = "\n".join(_entry("conlinucb", name, getattr(conlinucb, name)) for name in names)
    return f"{_title(title, '=')}{about}\n\n{listed}"


def _module_page(name: str, title: str) -> str:
    module = importlib.import_module(name)
    entries = [_entry(name, each, getattr(module, each)) for each in names_of(module)]
    return f"{_title(title, '=')}.. automodule:: {name}\n\n" + "\n".join(entries)


def _entry(module: str, name: str, value: Any) -> str:
    if inspect.isclass(value):
        options = "   :members:\n   :inherited-members: Exception, tuple, object, Warning\n"
        return f"{_title(name, '-')}.. autoclass:: {module}.{name}\n{options}"
    if callable(value):
        return f"{_title(name, '-')}.. autofunction:: {module}.{name}\n"
    return f"{_title(name, '-')}.. autodata:: {module}.{name}\n   :no-value:\n"

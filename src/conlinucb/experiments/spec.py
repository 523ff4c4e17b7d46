"""One's own comparison from a TOML file, with results and a report of its own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conlinucb.agent.named import add_folder, is_stranger
from conlinucb.agent.priors import Population
from conlinucb.agent.spec import only
from conlinucb.algorithms.spec import agent_of
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.experiments.item import BASELINE
from conlinucb.experiments.json_files import write_outcome
from conlinucb.experiments.outcome import OWN, AgentOutcome, Outcome, Ran
from conlinucb.experiments.own_data import file_in, world
from conlinucb.experiments.run import keep
from conlinucb.numerics.validation import seed_of, whole
from conlinucb.people import People
from conlinucb.progress import Progress
from conlinucb.simulation.own_rounds import AnyAgent
from conlinucb.simulation.visits import Arrivals, checked_arrivals

TOP = ("title", "rounds", "repeats", "seed", "arrivals", "baseline", "data", "people", "agents")


@dataclass(frozen=True, eq=False)
class Comparison:
    """What a file says, read and checked: everything that a run needs."""

    agents: dict[str, AnyAgent]
    people: People
    ran: Ran
    rounds: int
    repeats: int
    seed: int
    arrivals: Arrivals

    def run(self, out: Path, bar: Progress | None = None, executor: str = "threads") -> Outcome:
        """Play, or go on, or find the results."""
        work = len(self.agents) * len(self.people) * self.repeats * self.rounds
        folder, bar = out / OWN / self.ran.item, bar or Progress(work)
        outcome = keep(
            self.agents, self.people, folder, "base", self.ran, bar, executor,
            rounds=self.rounds,
            repeats=self.repeats,
            seed=self.seed,
            arrivals=self.arrivals,
        )  # fmt: skip
        return _renewed(outcome, self.ran, folder / "base.json")


def run_spec(
    path: Path, out: Path, bar: Progress | None = None, executor: str = "threads"
) -> Outcome:
    """Run the comparison in a file; a second call finds the results, or goes on."""
    return comparison_of(path).run(out, bar, executor)


def comparison_of(path: Path) -> Comparison:
    """The comparison in a file; nothing is written before all of it is understood."""
    spec, folder = read_spec(path), path.parent
    rounds = whole("rounds", spec.get("rounds", 1000), low=1)
    repeats = whole("repeats", spec.get("repeats", 10), low=1)
    seed, arrivals = spec.get("seed", 0), checked_arrivals(spec.get("arrivals", "one by one"))
    add_folder(folder)  # parts of one's own lie beside the file
    found = world(_table(spec, "data"), _table(spec, "people"), folder, int(seed_of(seed)))
    agents = {
        str(name): _agent(given, found.catalog, f"[agents.{name}]", folder)
        for name, given in _agents(spec).items()
    }
    ran = _ran(spec, path, found.data)
    return Comparison(agents, found.people, ran, rounds, repeats, seed, arrivals)


def _ran(spec: Mapping[str, Any], path: Path, data: dict[str, Any]) -> Ran:
    agents = _agents(spec)
    return Ran(
        item=path.stem,
        title=str(spec.get("title", path.stem)),
        baseline=_baseline(spec, list(agents)),
        recipes={name: str(given["recipe"]) for name, given in agents.items()},
        protocol=OWN,
        setting="",
        point="",
        at=None,
        variant="",
        quick=False,
        data=data,
        constants="given",
        schedule="each agent's own",
        tuning=None,
        tuning_seconds=0.0,
        command=f"conlinucb simulate {path}",
    )


def _renewed(outcome: Outcome, ran: Ran, path: Path) -> Outcome:
    """With the file's title and baseline of today: these change no number of the run."""
    today = replace(outcome, **vars(ran), agents=_against(outcome, ran.compared_with))
    return outcome if today == outcome else write_outcome(path, today)


def _against(outcome: Outcome, baseline: str) -> dict[str, AgentOutcome]:
    """Everyone's improvement over this agent; its own over itself is the former baseline's."""
    none = outcome.agents[outcome.compared_with].improvement
    return {
        name: replace(each, improvement=each.versus.get(baseline, none))
        for name, each in outcome.agents.items()
    }


def read_spec(path: Path) -> dict[str, Any]:
    """The file's content; what is no TOML, or unknown, is refused with the line or the name."""
    try:
        spec = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInput(f"There is no file {path}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not TOML: {error}.") from None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from None
    only(spec, TOP, "the file")
    return spec


def _table(spec: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = spec.get(name, {})
    if not isinstance(found, dict):
        raise InvalidInput(f"{name} must be a table, [{name}], got {found!r}.")
    return dict(found)


def _agents(spec: Mapping[str, Any]) -> dict[str, Any]:
    found = _table(spec, "agents")
    if not found:
        raise InvalidInput(
            'The file must name agents, such as [agents.MCR] with recipe = "conlinucb".'
        )
    return found


def _agent(given: Any, catalog: Catalog, where: str, folder: Path) -> AnyAgent:
    """An agent of the file's table; its prior may be a file that Population.save wrote."""
    prior = given.get("prior") if isinstance(given, dict) else None
    if prior is not None and not is_stranger(prior):
        if not isinstance(prior, str):
            raise InvalidInput(f"{where} prior must be a file of a population, got {prior!r}.")
        given = {**given, "prior": _population(file_in(folder, prior), catalog, where)}
    return agent_of(given, catalog, where, strangers=True)


def _population(path: Path, catalog: Catalog, where: str) -> Population:
    """A population of this catalogue: of another one, its features would mean other things."""
    found = Population.load(path)
    if found.term_ids != catalog.term_ids:
        raise InvalidInput(
            f"{where} prior: {path.name} was fitted to a catalogue of {len(found.term_ids)} other "
            f"key-terms, {_few(found.term_ids)}; this one has {len(catalog.term_ids)}, "
            f"{_few(catalog.term_ids)}. Fit it to the catalogue that [data] makes."
        )
    return found


def _few(names: tuple[Any, ...]) -> str:
    return ", ".join(repr(each) for each in names[:3]) + (" ..." if len(names) > 3 else "")


def _baseline(spec: Mapping[str, Any], names: list[str]) -> str:
    given = spec.get("baseline", BASELINE if BASELINE in names else names[0])
    if given not in names:
        raise UnknownName(f"No agent is called {given!r}, the baseline.{nearest(given, names)}")
    return str(given)

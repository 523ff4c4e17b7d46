"""What will run, and about how long it takes on this machine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conlinucb.experiments.algorithms import authors_constants
from conlinucb.experiments.json_files import read_outcome
from conlinucb.experiments.outcome import Outcome
from conlinucb.experiments.run import folder_of, scoring_work, tuning_work
from conlinucb.experiments.setting import Setting
from conlinucb.people import People
from conlinucb.progress import Progress, time_text
from conlinucb.simulation.own_rounds import AnyAgent
from conlinucb.simulation.simulate import simulate
from conlinucb.simulation.store import refuse_another

PROBE_USERS, PROBE_ROUNDS = 2, (150, 1000)


@dataclass(frozen=True)
class Step:
    """One setting, how much it is and about how long it takes."""

    setting: Setting
    work: int
    """User-rounds, tuning included."""
    seconds: float
    done: bool

    @property
    def counts(self) -> dict[str, int]:
        """How many agents, runs, users and rounds."""
        setting = self.setting
        return {
            "agent": len(setting.agents),
            "run": setting.runs,
            "user": len(setting.thetas()[0]),
            "round": setting.rounds,
        }

    @property
    def tuning(self) -> str:
        """For example ``64 trials each on 50 others``, or nothing."""
        setting = self.setting
        if not setting.tunes:
            return ""
        return f"{counted(setting.size.trials, 'trial')} each on {len(setting.thetas()[1])} others"

    @property
    def time_left(self) -> str:
        """For example ``about 12 s``."""
        return "done" if self.done else f"about {time_text(self.seconds)}"

    def line(self) -> str:
        """For example ``authors 1a: 6 agents x 10 runs x 200 users x 1,000 rounds, about 12 s``."""
        size = " x ".join(counted(count, what) for what, count in self.counts.items())
        tuned = f", tuned with {self.tuning}" if self.tuning else ""
        return f"  {self.name}: {size}{tuned}, {self.time_left}"

    @property
    def name(self) -> str:
        """For example ``authors 1c (pool 25)``."""
        setting = self.setting
        inside = f" ({setting.name})" if setting.name else ""
        return f"{setting.protocol.name} {setting.item.name}{inside}"


def counted(count: int, what: str) -> str:
    """For example ``1 run`` or ``1,000 rounds``.

    >>> counted(1, "run"), counted(1000, "round")
    ('1 run', '1,000 rounds')
    """
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def make_plan(settings: Sequence[Setting], out: Path) -> list[Step]:
    """Measure each agent for a moment, and count."""
    return [_step(setting, out) for setting in settings]


def _step(setting: Setting, out: Path) -> Step:
    work = scoring_work(setting) + (tuning_work(setting) if setting.tunes else 0)
    path = folder_of(out, setting) / f"{setting.slug}.json"
    kept = read_outcome(path)
    if kept is None:
        return Step(setting, work, _estimate(setting, work), done=False)
    _refuse_other_size(setting, path, kept)
    return Step(setting, work, 0.0, done=True)


def _refuse_other_size(setting: Setting, path: Path, kept: Outcome) -> None:
    """Say now, not hours into the plan, that a folder was made for another run."""
    wanted = {
        "rounds": setting.rounds,
        "repeats": setting.runs,
        "seed": setting.scoring_seed,
        "people": {"users": len(setting.thetas()[0])},
    }
    there = {
        "rounds": kept.rounds,
        "repeats": kept.runs,
        "seed": kept.seed,
        "people": {"users": kept.users},
    }
    refuse_another(path, there, wanted)


def _estimate(setting: Setting, work: int) -> float:
    """Seconds, from two short probes: questions crowd the first rounds, so one would mislead."""
    known = {name: authors_constants(name, setting.item.data) for name in setting.tuned}
    agents = {name: setting.agent(name, setting.parameters(name, known)) for name in setting.agents}
    people = setting.people(setting.thetas()[0][:PROBE_USERS])
    simulate(agents, people, rounds=1, progress=False)  # compile, or load what was compiled
    early, late = (min(setting.rounds, rounds) for rounds in PROBE_ROUNDS)
    took = [_seconds(setting, agents, people, rounds) for rounds in (early, late)]
    a_round = max(took[1] - took[0], 0.0) / (late - early) if late > early else 0.0
    played = len(agents) * len(people) * setting.rounds
    return work / played * (took[0] + a_round * (setting.rounds - early))


def _seconds(setting: Setting, agents: dict[str, AnyAgent], people: People, rounds: int) -> float:
    start = time.perf_counter()
    simulate(agents, people, rounds=rounds, shard=1, lazy=setting.point.lazy, progress=False)
    return time.perf_counter() - start


def whole_bar(plan: Sequence[Step]) -> Progress:
    """One progress line for everything."""
    return Progress(sum(step.work for step in plan))

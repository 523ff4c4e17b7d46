"""Who takes part: baselines, the published algorithms, and agents that start from a population."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from conlinucb.agent.agent import Agent
from conlinucb.agent.priors import Population
from conlinucb.agent.recipes import conlinucb
from conlinucb.agent.schedule import Never, WhenWorth
from conlinucb.experiments.algorithms import Parameters, authors_constants, build
from conlinucb.experiments.people import baselines
from conlinucb.experiments.people.talk import (
    Asked,
    Start,
    Talk,
    Unasked,
    favourites,
    known_half,
    tell,
)
from conlinucb.experiments.people.task import ASKING, Person, as_yes_no
from conlinucb.experiments.people.world import World

Group = Literal["no questions", "published", "tuned", "prior", "yes or no", "beforehand", "ceiling"]
PUBLISHED = ("LinUCB", "ConUCB", "BS", "MCR")
STRATEGIES = ("random", "spanner", "max-radius", "ucb", "optimal-greedy", "informative", "valuable")
YES_NO = ("ucb", "informative", "valuable")
"""Those that also meet people who say yes or no only."""
POPULAR, NEIGHBOURS, FACTORISATION = "most popular", "item neighbours", "factorisation"
NO_QUESTIONS = "prior, no questions"
CEILING = "knows half of the person"


@dataclass(frozen=True)
class EachRound:
    """b(t): so many questions a round, in the first rounds only.

    >>> [EachRound(3)(t) for t in (1, 10, 20)]
    [3, 30, 30]
    """

    questions: int
    until: int = ASKING

    def __call__(self, t: int) -> int:
        """Questions by the end of round t."""
        return self.questions * min(t, self.until)


@dataclass(frozen=True)
class Contender:
    """A name, where it belongs, and how it meets a person in a world."""

    name: str
    group: Group
    enter: Callable[[World], Start]
    """Made ready once for each world."""


def contenders(chosen: dict[str, Parameters]) -> list[Contender]:
    """Everybody; ``chosen`` are the settings that were found on the first split."""
    return [
        *_without_questions(chosen),
        *(_published(name, "published", None) for name in PUBLISHED),
        *(_published(name, "tuned", chosen[name]) for name in PUBLISHED if name in chosen),
        Contender(NO_QUESTIONS, "prior", partial(_with_prior, schedule=Never())),
        *(_asking(each, count) for count in (1, 3) for each in STRATEGIES),
        Contender("when worth 0.01", "prior", partial(_with_prior, schedule=WORTH)),
        *(_asking(each, count, yes_no=True) for count in (1, 3) for each in YES_NO),
        *_beforehand(),
        Contender(CEILING, "ceiling", partial(_with_prior, half=True)),
        Contender(f"{NEIGHBOURS}, knows half", "ceiling", partial(_neighbours, chosen, True)),
        Contender(f"{FACTORISATION}, knows half", "ceiling", partial(_factors, chosen, True)),
    ]


WORTH = WhenWorth(cost=0.01, most=3)


def name_of(strategy: str, questions: int, yes_no: bool = False) -> str:
    """For example ``valuable, 3 a round``."""
    return f"{strategy}, {questions} a round{', yes or no' if yes_no else ''}"


def _asking(strategy: str, questions: int, yes_no: bool = False) -> Contender:
    enter = partial(_with_prior, strategy=strategy, schedule=EachRound(questions), yes_no=yes_no)
    return Contender(
        name_of(strategy, questions, yes_no), "yes or no" if yes_no else "prior", enter
    )


def _beforehand() -> list[Contender]:
    chips = [
        Contender(
            f"questionnaire of {count}{', yes or no' if yes_no else ''}",
            "beforehand",
            partial(_with_prior, questionnaire=count, yes_no=yes_no),
        )
        for count in (8, 16)
        for yes_no in (False, True)
    ]
    ten = partial(_with_prior, schedule=EachRound(10, until=1))
    named = [
        Contender(f"{count} favourite{'s' * (count > 1)} named", "beforehand",
                  partial(_with_prior, favourite=count))
        for count in (1, 2, 3, 5)
    ]  # fmt: skip
    return [Contender("10 questions first", "beforehand", ten), *chips, *named]


def _without_questions(chosen: dict[str, Parameters]) -> list[Contender]:
    return [
        Contender("chance", "no questions", _chance),
        Contender(POPULAR, "no questions", _popular),
        Contender(NEIGHBOURS, "no questions", partial(_neighbours, chosen, False)),
        Contender(FACTORISATION, "no questions", partial(_factors, chosen, False)),
    ]


def _chance(world: World) -> Start:
    made = baselines.Chance(len(world.log.data.item_ids), world.log.seed)
    return lambda person: Unasked(made)


def _popular(world: World) -> Start:
    made = baselines.MostPopular(world.table)
    return lambda person: Unasked(made)


def _neighbours(chosen: dict[str, Parameters], half: bool, world: World) -> Start:
    return _unasked(world, baselines.Neighbours(world.table, **chosen.get(NEIGHBOURS, {})), half)


def _factors(chosen: dict[str, Parameters], half: bool, world: World) -> Start:
    made = baselines.Factorisation(world.table, **chosen.get(FACTORISATION, {}))
    return _unasked(world, made, half)


def _unasked(world: World, made: baselines.Baseline, half: bool) -> Start:
    return lambda person: Unasked(made, known_half(world.log, person) if half else None)


def _published(name: str, group: Group, parameters: Parameters | None) -> Contender:
    ending = "as published" if parameters is None else "tuned"
    given = authors_constants(name, "real") if parameters is None else parameters
    return Contender(f"{name}, {ending}", group, partial(published, name, given))


def published(name: str, parameters: Parameters, world: World) -> Start:
    """An algorithm of the paper, with one question a round; answers are taken as they are."""
    agent = build(name, world.catalog, parameters, EachRound(1))
    return lambda person: Asked(agent, person, world.log.answers(person.asked))


def agent_of(world: World, population: Population, **options: Any) -> Agent:
    """An agent that starts from the population; greedy, which was best on the first split."""
    return conlinucb(world.catalog, prior=population, **{"select": "greedy", **options})


def _with_prior(
    world: World,
    *,
    strategy: str | None = None,
    schedule: Any = None,
    yes_no: bool = False,
    questionnaire: int = 0,
    favourite: int = 0,
    half: bool = False,
) -> Start:
    population = world.yes_no_population if yes_no else world.population
    asks = strategy or world.task.strategy
    agent = agent_of(world, population, strategy=asks, schedule=schedule or Never())
    terms = agent.questionnaire(questionnaire) if questionnaire else []

    def start(person: Person) -> Talk:
        said = world.log.answers(person.asked)
        talk = Asked(agent, person, as_yes_no(said, world.task.yes) if yes_no else said)
        talk.fill_in(terms)
        if favourite:
            tell(talk, favourites(world.log, person, favourite))
        if half:
            tell(talk, known_half(world.log, person))
        return talk

    return start

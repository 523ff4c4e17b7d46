"""Ways of asking on equal terms: the same people, the same prior, the same number of questions.

What a question brings can be counted: points above asking nothing, for each question. People answer
as people do: yes or no of a key-term, which one of a pair, any or the best of several. The prior,
and what such an answer is worth, are learned from the logged people.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

from conlinucb.agent.priors import Population
from conlinucb.agent.recipes import conlinucb
from conlinucb.agent.schedule import Never, WhenWorth, WhereThin
from conlinucb.agent.strategies import BestOf, LogDet, PickAny, strategy_of
from conlinucb.algorithms.conts import conts
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import UnknownName, nearest
from conlinucb.experiments.people.contenders import NO_QUESTIONS, Contender, EachRound
from conlinucb.experiments.people.says import AnyQuestion, Asks, Says
from conlinucb.experiments.people.talk import Start, Talk, favourites, tell
from conlinucb.experiments.people.task import ASKING, Log, Person
from conlinucb.experiments.people.world import World


class Rhythm(NamedTuple):
    """When questions come: so many before each of the first recommendations."""

    name: str
    each: int
    until: int
    named: int = 0
    """Favourites that are named before anything else."""

    @property
    def most(self) -> int:
        """Questions in all."""
        return self.each * self.until


RHYTHMS: dict[str, Rhythm] = {
    "3-first": Rhythm("3 questions first", 3, 1),
    "10-first": Rhythm("10 questions first", 10, 1),
    "each-round": Rhythm("one question a round", 1, ASKING),
    "after-favourite": Rhythm("one question a round after a favourite was named", 1, ASKING, 1),
}
"""The last is how people come who began as the service's page does."""
DEFAULT = "key-terms, ucb"
"""One topic a question, as the service asks where its setting ``ask_about`` is "one"."""
CLUSTERS, LEVELS = 60, (8, 40, 160)
"""Groups of items, and nodes by depth, where key-terms are made from features."""
SPREAD = "key-terms, informative, spread"
ABOUT_TERMS, ABOUT_PAIRS, ABOUT_GROUPS = "key-term", "pair", "several key-terms"


@dataclass(frozen=True)
class Way:
    """How something is asked: what it is called, what its page says, and its agent's options."""

    name: str
    kind: str
    """What a question is about: a key-term, a pair, several, a made group."""
    options: dict[str, Any] = field(default_factory=dict)
    terms: Callable[[Catalog], Catalog] | None = None
    """Other key-terms than the tags."""
    made: Callable[[Catalog, Population, Rhythm], Asks] | None = None
    """An agent of its own, which decides when to ask and asks at most as often."""
    among_pool: bool = False
    """Whether it chooses between questions and the items of the round's pool."""

    @property
    def key_terms(self) -> int:
        """How many key-terms one question is about."""
        strategy = strategy_of(self.options.get("strategy", "informative"))
        return {"pair": 2, "group": getattr(strategy, "size", 1)}.get(strategy.kind, 1)


def _clusters(catalog: Catalog) -> Catalog:
    return catalog.with_clusters(min(CLUSTERS, catalog.live_arms.size // 4))


def _tree(catalog: Catalog) -> Catalog:
    most = catalog.live_arms.size // 4
    return catalog.with_tree([each for each in LEVELS if each <= most] or [1])


def _while_worth(cost: float, catalog: Catalog, population: Population, rhythm: Rhythm) -> Asks:
    """Asks what is most valuable, as long as it is worth this much of a reward."""
    schedule = WhenWorth(cost=cost, most=rhythm.each, first=rhythm.until)
    own: dict[str, Any] = {"strategy": "valuable", "select": "greedy", "schedule": schedule}
    return conlinucb(catalog, prior=population, **own)


def _where_thin(catalog: Catalog, population: Population, rhythm: Rhythm) -> Asks:
    """Asks as long as some direction has had less than a hundredth of an observation a round."""
    schedule = WhereThin(c=0.01, most=rhythm.each)
    own: dict[str, Any] = {"strategy": "thinnest", "select": "greedy", "schedule": schedule}
    return conlinucb(catalog, prior=population, **own)


def _conts(alpha: float, catalog: Catalog, population: Population, rhythm: Rhythm) -> Asks:
    """Thompson sampling decides whether a question or an item comes next."""
    return conts(catalog, prior=population, alpha=alpha, most=rhythm.each)


WAYS: tuple[Way, ...] = (
    *(
        Way(f"key-terms, {name}", ABOUT_TERMS, {"strategy": name})
        for name in (
            *("random", "max-radius", "ucb", "informative", "valuable"),
            *("smoothed", "thinnest", "design"),
        )
    ),
    Way("key-terms, informative, Thompson", ABOUT_TERMS,
        {"strategy": "informative", "select": "thompson"}),
    *(
        Way(f"{SPREAD} {spread}", ABOUT_TERMS, {"strategy": "informative", "spread": spread})
        for spread in ("full", "edges")
    ),
    Way("key-terms, log-det, spread edges", ABOUT_TERMS,
        {"strategy": LogDet(spread="edges"), "spread": "edges"}),
    *(
        Way(f"key-terms, valuable, while worth {cost:g}", ABOUT_TERMS,
            made=partial(_while_worth, cost))
        for cost in (0.01, 0.001)
    ),
    Way("key-terms, thinnest, where thin", ABOUT_TERMS, made=_where_thin),
    *(
        Way(name, ABOUT_TERMS, made=partial(_conts, alpha), among_pool=True)
        for name, alpha in (("ConTS", 1.0), ("ConTS, a tenth as wide", 0.1))
    ),
    Way("clusters, informative", "made group", {"strategy": "informative"}, _clusters),
    Way("tree, informative", "made group", {"strategy": "informative"}, _tree),
    *(
        Way(f"pairs, {name}", ABOUT_PAIRS, {"strategy": f"{name}-pairs"})
        for name in ("informative", "max-radius")
    ),
    Way("pairs, informative, each taught", ABOUT_PAIRS,
        {"strategy": "informative-pairs", "pair_update": "both"}),
    Way("pairs, relative-greedy, winner taught", ABOUT_PAIRS,
        {"strategy": "relative-greedy", "pair_update": "winner"}),
    Way("pick any of 6, informative", ABOUT_GROUPS, {"strategy": PickAny()}),
    Way("best of 3, informative", ABOUT_GROUPS, {"strategy": BestOf(by="informative")}),
    Way("best of 3, ucb", ABOUT_GROUPS, {"strategy": BestOf()}),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class MadeWorld(World):
    """A split with other key-terms on the same features: answers are about those."""

    base: World | None = None
    terms: Callable[[Catalog], Catalog] | None = None

    @cached_property
    def catalog(self) -> Catalog:
        """The arms of the split's own world, with key-terms that are made of them."""
        assert self.base is not None
        assert self.terms is not None
        return self.terms(self.base.catalog)

    @cached_property
    def prior(self) -> Any:
        """Of the same features, so the same."""
        assert self.base is not None
        return self.base.prior


def made_world(base: World, terms: Callable[[Catalog], Catalog]) -> MadeWorld:
    """The same split, where people are asked about made key-terms."""
    catalog = terms(base.catalog)
    log = Log(base.log.data.with_terms(catalog.weights, catalog.term_ids), base.log.seed)
    return MadeWorld(log, base.task, base.split, base.most, base, lambda _: catalog)


def entered(way: Way | None, rhythm: Rhythm, world: World) -> Start:
    """Way and world made ready: whoever comes is asked in this rhythm, or without a way nothing."""
    own = world if way is None or way.terms is None else made_world(world, way.terms)
    agent = agent_of(way, rhythm, own)

    def start(person: Person) -> Talk:
        says = Says(own.log.answers(person.asked), world.task.yes)
        talk = AnyQuestion(agent, person, says, rhythm.most, way is not None and way.among_pool)
        tell(talk, favourites(own.log, person, rhythm.named))
        return talk

    return start


def agent_of(way: Way | None, rhythm: Rhythm, world: World) -> Asks:
    """Who asks this way; greedy unless the way says otherwise."""
    population = world.yes_no_population
    if way is not None and way.made is not None:
        return way.made(world.catalog, population, rhythm)
    schedule = Never() if way is None else EachRound(rhythm.each, until=rhythm.until)
    options: dict[str, Any] = {"strategy": world.task.strategy, "select": "greedy"}
    options |= {} if way is None else way.options
    return conlinucb(world.catalog, prior=population, schedule=schedule, **options)


def name_of(way: str, rhythm: Rhythm) -> str:
    """For example ``key-terms, ucb, 3 questions first``."""
    return f"{way}, {rhythm.name}"


def nothing_in(rhythm: Rhythm) -> str:
    """Who asks nothing of people who come like this."""
    return name_of(NO_QUESTIONS, rhythm) if rhythm.named else NO_QUESTIONS


def rhythms_of(names: Sequence[str]) -> tuple[Rhythm, ...]:
    """The rhythms with these names; all of them for none.

    >>> [each.most for each in rhythms_of(["3-first"])]
    [3]
    """
    for name in names:
        if name not in RHYTHMS:
            raise UnknownName(f"No rhythm is called {name!r}.{nearest(name, RHYTHMS)}")
    return tuple(each for name, each in RHYTHMS.items() if not names or name in names)


def contenders(
    rhythms: Sequence[Rhythm] = tuple(RHYTHMS.values()),
) -> dict[str, tuple[Way | None, Rhythm | None, Contender]]:
    """Everybody by name: who asks nothing, then every way in each of these rhythms."""
    found: dict[str, tuple[Way | None, Rhythm | None, Contender]] = {}
    for rhythm in rhythms:
        name = nothing_in(rhythm)
        found[name] = None, None, Contender(name, "prior", partial(entered, None, rhythm))
    for rhythm in rhythms:
        for way in WAYS:
            name = name_of(way.name, rhythm)
            found[name] = way, rhythm, Contender(name, "prior", partial(entered, way, rhythm))
    return found

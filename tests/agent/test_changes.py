"""Agents by their parameters: changed, cloned, equal."""

from __future__ import annotations

import copy
import functools
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import _clone_parametrized, clone

import conlinucb as cl
from support.worlds import played, small_catalog

CATALOG = small_catalog()
LIKELY = cl.Gaussian(np.zeros(3), np.eye(3), 0.5)


class Doubtful:
    """A strategy of one's own with an argument."""

    name = "doubtful"

    def __init__(self, depth: int = 1) -> None:
        self.depth = depth

    def choose(self, view: cl.View) -> int:
        return int(view.offered[self.depth % view.offered.size])


class Forgetful(Doubtful):
    def __init__(self, depth: int, length: int) -> None:
        super().__init__(depth)


def half(t: int) -> float:
    return t / 2


AGENTS: dict[str, Any] = {
    "linucb": cl.linucb,
    "arm_con": cl.arm_con,
    "conucb": cl.conucb,
    "conlinucb": cl.conlinucb,
    "for_newcomers": cl.for_newcomers,
    "logistic": functools.partial(cl.logistic, answer_weight=0.5),
    "prior": functools.partial(cl.conlinucb, prior=LIKELY),
    "theory": functools.partial(cl.conlinucb, alpha=cl.TheoryAlpha(delta=0.1)),
    "own": functools.partial(cl.conucb, strategy=Doubtful(3), schedule=half, select="thompson"),
}


@pytest.fixture(params=sorted(AGENTS))
def agent(request: pytest.FixtureRequest) -> cl.Agent:
    made: cl.Agent = AGENTS[request.param](CATALOG)
    return made


# scikit-learn


def test_scikit_learn_clones(agent: cl.Agent) -> None:
    made = clone(agent)
    assert made is not agent
    assert made == agent
    assert made.catalog is agent.catalog


def test_the_constructor_stores_what_it_is_given(agent: cl.Agent) -> None:
    """What scikit-learn asks of an estimator that says nothing of how to clone it."""
    assert _clone_parametrized(agent) == agent


def test_a_part_given_by_name_stays_a_name() -> None:
    agent = cl.Agent(CATALOG, cl.Ridge(), strategy="MCR", schedule=cl.Every(2), select="greedy")
    given = agent.get_params(deep=False)
    assert (given["strategy"], given["select"], given["asks"]) == ("MCR", "greedy", "term")
    assert agent.parameters()["strategy"] == "max-radius"


def test_deep_parameters_can_be_set_again(agent: cl.Agent) -> None:
    params = agent.get_params()
    inner = {name: value for name, value in params.items() if "__" in name and value is not None}
    assert agent.replace(**inner) == agent
    assert {"estimator__alpha", "estimator__prior"} <= params.keys()


def test_set_params_changes_in_place() -> None:
    agent = cl.conlinucb(CATALOG, schedule=cl.Every(2))
    assert agent.set_params(estimator__alpha=0.7, n=3, select="greedy") is agent
    assert agent == cl.conlinucb(CATALOG, alpha=0.7, schedule=cl.Every(3), select="greedy")
    assert agent.get_params()["select"] == "greedy"


def test_refused_parameters_change_nothing(agent: cl.Agent) -> None:
    before = repr(agent.get_params())
    with pytest.raises(cl.InvalidInput, match="-1"):
        agent.set_params(select="greedy", alpha=-1.0)
    assert repr(agent.get_params()) == before


# replace


def test_replace_is_the_recipe_with_other_arguments() -> None:
    agent = cl.conucb(CATALOG)
    changed = agent.replace(mix=0.2, term_beta=3.0, strategy="BS", f=2, select="thompson")
    wanted = cl.conucb(
        CATALOG,
        mix=0.2,
        term_beta=3.0,
        strategy="spanner",
        schedule=cl.Logarithmic(2),
        select="thompson",
    )
    assert changed == wanted
    assert agent == cl.conucb(CATALOG)


def test_arguments_of_a_new_part_are_its_own() -> None:
    agent = cl.conlinucb(CATALOG).replace(strategy="BS", C=2.0, schedule=cl.Every(2), n=5)
    assert agent.get_params()["strategy__C"] == 2.0
    assert agent.schedule == cl.Every(5)


def test_a_prior_takes_the_place_of_beta_and_back() -> None:
    agent = cl.conlinucb(CATALOG, beta=0.3, alpha=1.0)
    with_prior = agent.replace(prior=LIKELY)
    assert with_prior == cl.conlinucb(CATALOG, prior=LIKELY)
    assert with_prior.replace(beta=0.3) == agent
    with pytest.raises(cl.InvalidInput, match="place of beta"):
        agent.replace(beta=0.3, prior=LIKELY)


def test_users_go_on_with_another_alpha(agent: cl.Agent) -> None:
    user = played(agent)
    agent.replace(select="greedy").recommend(user)
    assert user.rounds == 3


@pytest.mark.parametrize(
    ("name", "near"), [("alhpa", "'alpha'"), ("stratgy", "'strategy'"), ("zerobased", "zero_based")]
)
def test_an_unknown_parameter_names_the_nearest(name: str, near: str) -> None:
    with pytest.raises(cl.UnknownName, match=near):
        cl.conlinucb(CATALOG).replace(**{name: 1})
    with pytest.raises(cl.UnknownName, match=near):
        cl.conlinucb(CATALOG).set_params(**{name: 1})


def test_a_name_of_two_parts_must_be_said_in_full() -> None:
    class Alpha(Doubtful):
        def __init__(self, alpha: int = 1) -> None:
            self.alpha = self.depth = alpha

    agent = cl.conlinucb(CATALOG, strategy=Alpha())
    with pytest.raises(cl.InvalidInput, match="estimator__alpha or strategy__alpha"):
        agent.replace(alpha=2)
    assert agent.replace(strategy__alpha=2).get_params()["strategy__alpha"] == 2


def test_a_part_that_forgets_its_arguments_cannot_be_made_anew() -> None:
    agent = cl.conlinucb(CATALOG, strategy=Forgetful(1, 2))
    with pytest.raises(cl.InvalidInput, match="keeps no attribute 'length'"):
        agent.replace(depth=3)
    assert agent.replace(depth=3, strategy=Doubtful()) == agent.replace(strategy=Doubtful(3))


# Equality


def test_equal_parameters_are_equal_agents(agent: cl.Agent) -> None:
    twin = copy.deepcopy(agent)
    assert twin == agent
    assert len({twin, agent, clone(agent)}) == 1
    user = played(agent)  # fills what an agent remembers for speed
    agent.value(user)
    assert twin == agent
    assert pickle.loads(pickle.dumps(agent)) == agent


DIFFERENT: dict[str, dict[str, Any]] = {
    "alpha": {"alpha": 0.2},
    "beta": {"beta": 0.2},
    "prior": {"prior": LIKELY},
    "answer weight": {"answer_weight": 2.0},
    "strategy": {"strategy": "random"},
    "argument": {"strategy": cl.STRATEGIES["spanner"](C=2.0)},  # type: ignore[call-arg]
    "own": {"strategy": Doubtful(2)},
    "own argument": {"strategy": Doubtful(3)},
    "schedule": {"schedule": cl.Every(5)},
    "function": {"schedule": lambda t: t},
    "other function": {"schedule": lambda t: t},
    "partial": {"schedule": functools.partial(max, 1)},
    "other partial": {"schedule": functools.partial(max, 2)},
    "select": {"select": "thompson"},
    "catalogue": {"catalog": small_catalog(seed=1)},
    "nothing": {},
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_other_parameters_are_other_agents(name: str) -> None:
    made = {each: cl.conlinucb(CATALOG).replace(**DIFFERENT[each]) for each in DIFFERENT}
    equal = [each for each in made if made[each] == made[name]]
    assert equal == [name]
    assert made[name] != name


def test_agents_that_ask_about_arms_differ() -> None:
    asks = [cl.Agent(CATALOG, cl.Ridge(), schedule=half, asks=each) for each in ("arm", "term")]
    assert asks[0] != asks[1]


def test_equal_catalogues_need_not_be_one() -> None:
    assert cl.linucb(small_catalog()) == cl.linucb(small_catalog())
    assert hash(cl.linucb(small_catalog())) == hash(cl.linucb(CATALOG))

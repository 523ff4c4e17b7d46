"""ConTS: decisions equal a plain reference, compiled and by hand; filters, ends, success."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.question import question_about
from conlinucb.algorithms.spec import agent_of
from conlinucb.checks import check_agent
from support.conts_reference import ConTSReference
from support.worlds import films, refused, refused_unchanged, same_state, small_catalog

D, K = 5, 9
CATALOG = small_catalog(arms=30, terms=K, d=D)
RNG = np.random.default_rng(6)
TASTES = RNG.normal(size=(3, D))
PEOPLE: dict[str, cl.People] = {
    "linear": cl.LinearUsers(TASTES, pool_size=8),
    "clicks": cl.ClickUsers(TASTES, pool_size=8, offered_size=5),
    "quiet": cl.Refuses(cl.YesNo(cl.LinearUsers(TASTES, pool_size=8), at=0.0), 0.4),
    "logged": cl.LoggedPeople(
        np.where(RNG.random((3, 30)) < 0.7, RNG.random((3, 30)), np.nan),
        np.where(RNG.random((3, K)) < 0.7, RNG.random((3, K)), np.nan),
        pool_size=8,
    ),
}


def replay(agent: Any, people: cl.People, rounds: int, user: int, beta: float) -> Any:
    """Arms and questions of the reference, who meets the same person."""
    twin = ConTSReference(
        np.asarray(CATALOG.arms),
        CATALOG.weights.toarray(),
        beta,
        agent.parameters()["alpha"],
        people.user_seed(4, 0, user),
        turns=agent.rules.turns,
        most=agent.rules.most,
    )
    arms, asked = [], []
    for t in range(1, rounds + 1):
        place = people.place(CATALOG, 4, 0, user, t)
        pool, offered = people.round(place)
        among = np.arange(K) if offered is None else offered
        what, which = twin.next(pool, among)
        while what == "ask":
            asked.append(which)
            question = question_about(CATALOG, "term", (which,), 1, t)
            twin.hear(which, people.answer(place, question, twin.number))
            what, which = twin.next(pool, among)
        twin.recommended()
        arms.append(which)
        reward = people.reward(place, which)
        if reward is not None:
            twin.learn(which, reward)
    return arms, asked, twin


@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize(("turns", "most"), [(15, 15), (4, 2), (1, 0)])
def test_decisions_equal_the_reference(name: str, turns: int, most: int) -> None:
    agent = cl.conts(CATALOG, beta=0.4, alpha=0.8, turns=turns, most=most)
    _compare(agent, PEOPLE[name], 150)


@pytest.mark.more
def test_over_thousands_of_rounds() -> None:
    _compare(cl.conts(CATALOG, beta=0.4, alpha=0.8), PEOPLE["linear"], 3000)


def _compare(agent: Any, people: cl.People, rounds: int) -> None:
    """On every arm and every question, of which there are some where there may be."""
    results = cl.simulate({"it": agent}, people, rounds=rounds, seed=4, trace=True)
    many = 0
    for user in range(len(people)):
        arms, asked, _ = replay(agent, people, rounds, user, 0.4)
        many += len(asked)
        found, questions = results.trace("it", 0, user)
        assert found.tolist() == arms
        assert questions[questions >= 0].tolist() == asked
    assert (many > 10) == (agent.rules.most > 0)


@pytest.mark.parametrize("name", PEOPLE)
def test_the_shipped_checks_pass(name: str) -> None:
    """Compiled is as by hand, chance is by position, a person can be saved at any time."""
    check_agent(cl.conts(CATALOG, turns=6), PEOPLE[name])


def talk(agent: Any, user: cl.User, likes: Any) -> tuple[list[Any], int]:
    """What was asked until something was recommended, and what that was."""
    asked = []
    while (question := agent.ask(user)) is not None:
        asked.append(question.index)
        agent.hear(user, question, likes(question.index))
    return asked, int(agent.recommend(user).arms[0])


def test_accepted_key_terms_filter_the_arms() -> None:
    """Who accepts one is shown arms that have it; what was refused or asked comes no more."""
    agent = cl.conts(CATALOG, alpha=2.0, turns=100)
    weights = CATALOG.weights.toarray()
    filtered = 0
    for seed in range(20):
        user, shown, asked = agent.new_user(seed=seed), [], []
        for _ in range(6):
            more, arm = talk(agent, user, lambda k: 1.0 if k % 2 else 0.0)
            asked += more
            shown.append(arm)
            accepted = [CATALOG.term_index(each) for each in agent.accepted(user)]
            assert accepted == sorted(k for k in asked if k % 2)
            counts = (weights[:, accepted] > 0).sum(axis=1)
            free = np.setdiff1d(np.arange(30), shown[:-1])
            assert counts[arm] == counts[free].max()
            filtered += bool(accepted) and counts[free].max() == len(accepted)
            agent.learn(user, arm, 0.0)
        assert len(set(shown)) == 6
        assert len(set(asked)) == len(asked)
        assert agent.turns(user) == 6 + len(asked)
    assert filtered > 5


def test_a_success_ends_the_conversation() -> None:
    agent = cl.conts(CATALOG, alpha=2.0)
    user = agent.new_user(seed=3)
    while not agent.accepted(user):
        _, arm = talk(agent, user, lambda k: 1.0)
    theta = user.theta
    agent.learn(user, arm, 0.2)
    assert agent.accepted(user)
    agent.learn(user, arm, 0.9)
    assert (agent.accepted(user), agent.turns(user)) == ((), 0)
    assert not np.array_equal(user.theta, theta)


def test_after_so_many_turns_it_begins_anew() -> None:
    agent = cl.conts(CATALOG, turns=3, most=0)
    user, seen = agent.new_user(), []
    for _ in range(6):
        arm = int(agent.recommend(user, pool=[0, 1, 2]).arms[0])
        agent.learn(user, arm, -1.0)
        seen.append(arm)
    assert sorted(seen[:3]) == sorted(seen[3:]) == [0, 1, 2]


def test_several_at_once_and_where_all_were_refused() -> None:
    agent = cl.conts(CATALOG, turns=100)
    user = agent.new_user()
    for arm in range(28):
        agent.learn(user, arm, 0.0)
    chosen = agent.recommend(user, k=5).arms.tolist()
    assert set(chosen[:2]) == {28, 29}
    assert len(set(chosen)) == 5
    assert agent.recommend(user, pool=[1, 2], k=9).arms.size == 2


def test_people_start_at_the_mean_of_others() -> None:
    mean = np.array([0.5, 0.0, -0.5, 0.2, 0.1])
    agent = cl.conts(CATALOG, prior=cl.Gaussian(mean, 1e-10 * np.eye(D), noise=0.1))
    user = agent.new_user()
    np.testing.assert_allclose(user.theta, mean)
    best = int(np.argmax(CATALOG.arms @ mean))
    assert agent.recommend(user).arms.tolist() == [best]


def test_what_is_said_by_others_than_open_questions_is_refused() -> None:
    agent = cl.conts(CATALOG, alpha=5.0)
    user = next(each for each in map(agent.new_user, range(50)) if agent.ask(each) is not None)
    other = question_about(CATALOG, "term", (0,), 7, 7)
    question = user.open
    assert question is not None
    refused_unchanged(user, lambda: agent.hear(user, other, 1.0), "not open")
    refused_unchanged(user, lambda: agent.hear(user, question, np.nan), "nan")
    refused_unchanged(user, lambda: agent.learn(user, 99, 1.0), "99")
    strangers = [None, cl.conlinucb(CATALOG).new_user(), cl.conts(films()).new_user()]
    for stranger in strangers:
        refused(lambda stranger=stranger: agent.ask(stranger), "ser")  # type: ignore[misc]
    agent.hear(user, question, None)
    assert agent.turns(user) == 1
    refused(lambda: agent.hear(user, question, 1.0), "not open", cl.QuestionClosed)


def test_a_person_can_be_stored() -> None:
    agent = cl.conts(CATALOG, alpha=2.0)
    user = agent.new_user(seed=5)
    talk(agent, user, lambda k: 1.0)
    arrays = user.to_arrays()
    assert same_state(agent.load_user(arrays).to_arrays(), arrays)
    arrays["state_conversation"] = arrays["state_conversation"] + 5
    refused(lambda: agent.load_user(arrays), "marks", cl.IncompatibleState)
    refused(lambda: cl.conts(films()).load_user(user.to_arrays()), "", cl.IncompatibleState)


@pytest.mark.parametrize(
    "options",
    [
        *({"turns": each} for each in (0, -1, 1.5, None)),
        *({"most": each} for each in (-1, 0.5)),
        *({"accept": each} for each in (np.nan, "yes")),
        *({"success": each} for each in (np.inf, None)),
        *({"alpha": each} for each in (-1.0, np.nan)),
        *({"beta": each} for each in (0.0, -1.0)),
        {"beta": 1.0, "prior": cl.Gaussian(np.zeros(D), np.eye(D))},
    ],
)
def test_bad_parameters(options: Any) -> None:
    refused(lambda: cl.conts(CATALOG, **options), "", cl.InvalidInput)


def test_as_a_recipe_by_name() -> None:
    agent = agent_of({"recipe": "conts", "turns": 7, "accept": 0.6}, CATALOG)
    told = agent.parameters()
    assert (told["turns"], told["accept"], told["success"], told["most"]) == (7, 0.6, 0.5, 15)
    assert "ConTS(" in repr(agent)


def test_without_key_terms_it_only_recommends() -> None:
    agent = cl.conts(cl.Catalog(CATALOG.arms))
    user = agent.new_user()
    assert agent.ask(user) is None
    assert agent.recommend(user).arms.size == 1


# Success within so many turns


def test_success_within_turns_is_counted_by_hand() -> None:
    people = PEOPLE["clicks"]
    agents: dict[str, Any] = {
        "conts": cl.conts(CATALOG),
        "MCR": cl.conlinucb(CATALOG, schedule=cl.Linear(2)),
    }
    results = cl.simulate(agents, people, rounds=12, seed=4, log=12)
    for name in agents:
        hits, questions = results.metric(name, "hits"), results.metric(name, "questions")
        for turns in (1, 3, 8, 15):
            found = results.success_within(turns).metric(name, f"success_within_{turns}")
            for user in range(3):
                wanted = False
                for row, t in enumerate(results.rounds):
                    first = hits[0, user, row] > 0 and (row == 0 or hits[0, user, row - 1] == 0)
                    wanted = wanted or bool(first and t + questions[0, user, row] <= turns)
                    assert found[0, user, row] == wanted


def test_success_needs_every_round_that_could_count() -> None:
    people = PEOPLE["clicks"]
    results = cl.simulate({"it": cl.conts(CATALOG)}, people, rounds=40, log=4)
    refused(lambda: results.success_within(15), "log", cl.InvalidInput)
    for wrong in (0, -1, 1.5, None):
        refused(lambda wrong=wrong: results.success_within(wrong), "turns")  # type: ignore[misc]

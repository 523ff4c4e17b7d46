"""People as Gymnasium environments: the checker passes, and rounds are those of simulate."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import conlinucb as cl
from conlinucb.adapters.gymnasium import ConversationEnv, PeopleEnv, PeopleVectorEnv
from support.worlds import small_catalog

CATALOG = small_catalog(arms=40, terms=8, d=4)
THETAS = np.random.default_rng(1).normal(size=(5, 4))
LOG = np.where(np.random.default_rng(2).random((5, 40)) < 0.3, 0.5, np.nan)
PEOPLE: dict[str, cl.People] = {
    "linear": cl.LinearUsers(THETAS, pool_size=6),
    "clicks": cl.ClickUsers(THETAS, pool_size=6, offered_size=3),
    "logged": cl.LoggedPeople(LOG, pool_size=3),
    "refuses": cl.Refuses(cl.YesNo(cl.LinearUsers(THETAS, pool_size=6)), 0.5),
}
SWAPPED: tuple[Any, Any] = (PEOPLE["linear"], CATALOG)
ALL_OFFERED = sorted(set(PEOPLE) - {"clicks"})
"""Of whom any question may be asked, so that an action drawn at random can be taken."""


@pytest.mark.parametrize(
    ("name", "people"),
    [*(("People", each) for each in PEOPLE), *(("Conversation", each) for each in ALL_OFFERED)],
)
def test_gymnasiums_checker_passes(name: str, people: str) -> None:
    who = PEOPLE[people]
    env = gymnasium.make(f"conlinucb/{name}-v0", catalog=CATALOG, people=who, rounds=5)
    check_env(env.unwrapped)
    env.reset(seed=1)
    ends = [env.step(0)[2:4] for _ in range(5)]
    assert ends == [(False, False)] * 4 + [(False, True)]


def choice(agent: cl.Agent, user: cl.User, info: dict[str, Any]) -> int:
    pool = info["pool"]
    arm = agent.recommend(user, pool[pool >= 0]).arms[0]
    return int(np.flatnonzero(pool == arm)[0])


@pytest.mark.parametrize("people", PEOPLE)
def test_an_agent_meets_the_rounds_of_simulate(people: str) -> None:
    who, agent = PEOPLE[people], cl.linucb(CATALOG)
    results = cl.simulate({"L": agent}, who, rounds=15, repeats=2, seed=7, progress=False)
    env = PeopleEnv(CATALOG, who, rounds=15)
    for person in range(len(who)):
        seen, info = env.reset(seed=7, options={"user": person, "repeat": 1})
        user, regret, truncated = agent.new_user(info["seed"]), 0.0, False
        while not truncated:
            action = choice(agent, user, info)
            np.testing.assert_array_equal(seen[action], CATALOG.arms[info["pool"][action]])
            arm = int(info["pool"][action])
            seen, reward, _, truncated, info = env.step(action)
            regret += info["regret"]
            if info["observed"]:
                agent.learn(user, arm, reward)
        assert regret == pytest.approx(results.final_regret("L")[1, person], abs=1e-12)


def test_questions_are_answered_as_in_a_round_by_hand() -> None:
    people = PEOPLE["clicks"]
    env = ConversationEnv(CATALOG, people, questions=2, cost=0.25, user=3)
    seen, info = env.reset(seed=5)
    place = people.place(CATALOG, 5, 0, 3, 1)
    offered = people.round(place).offered
    assert offered is not None
    np.testing.assert_array_equal(np.flatnonzero(info["action_mask"])[6:] - 6, offered)
    for number, term in enumerate(offered[:2]):
        seen, reward, _, _, info = env.step(6 + int(term))
        probe = CATALOG.terms[term]
        question = cl.Question("term", int(term), 1, 1, ids=(term,), probe=probe)
        assert seen["answer"][0] == people.answer(place, question, number)
        assert (int(seen["asked"]), int(seen["left"]), reward) == (term + 1, 1 - number, -0.25)
    with pytest.raises(cl.InvalidInput, match="action_mask"):
        env.step(6 + int(offered[2]))
    seen = env.step(0)[0]
    assert (int(seen["asked"]), int(seen["left"])) == (0, 2)


def test_a_refused_answer_is_told() -> None:
    env = ConversationEnv(CATALOG, cl.Refuses(PEOPLE["linear"], 1.0), questions=1, user=0)
    env.reset(seed=0)
    seen, _, _, _, info = env.step(6)
    assert (int(seen["asked"]), int(seen["answered"]), info["observed"]) == (1, 0, False)


def test_a_small_pool_is_filled_up_and_a_large_one_refused() -> None:
    env = PeopleEnv(CATALOG, PEOPLE["linear"], pool_size=9)
    seen, info = env.reset(seed=0)
    assert info["action_mask"].tolist() == [1] * 6 + [0] * 3
    assert not seen[6:].any()
    assert info["pool"][6:].tolist() == [-1] * 3
    with pytest.raises(cl.InvalidInput, match="action 7"):
        env.step(7)
    with pytest.raises(cl.InvalidInput, match="pool_size=6"):
        PeopleEnv(CATALOG, PEOPLE["linear"], pool_size=5).reset(seed=0)


def test_without_a_seed_people_and_rounds_vary() -> None:
    env = PeopleEnv(CATALOG, PEOPLE["linear"])
    env.reset(seed=0)
    infos = [env.reset()[1] for _ in range(20)]
    assert len({info["user"] for info in infos}) > 2
    assert len({tuple(info["pool"]) for info in infos}) > 10


@pytest.mark.parametrize(
    ("call", "received"),
    [
        (lambda: PeopleEnv(CATALOG, PEOPLE["linear"]).step(0), "reset"),
        (lambda: PeopleEnv(CATALOG, PEOPLE["linear"], user=5), "got 5"),
        (lambda: PeopleEnv(CATALOG, PEOPLE["linear"]).reset(options={"usr": 1}), "usr"),
        (lambda: PeopleEnv(CATALOG, PEOPLE["linear"], rounds=0), "0"),
        (lambda: PeopleEnv(*SWAPPED), "people must be People.*got Catalog"),
        (lambda: PeopleEnv(small_catalog(arms=5, terms=1, d=4), PEOPLE["linear"]), "only 5 arms"),
    ],
)
def test_bad_input(call: Any, received: str) -> None:
    with pytest.raises(cl.InvalidInput, match=received):
        call()


def test_the_vector_environment_is_everybody_of_one_run() -> None:
    people, agent = PEOPLE["linear"], cl.linucb(CATALOG)
    envs = PeopleVectorEnv(CATALOG, people, rounds=10)
    seen, infos = envs.reset(seed=7)
    users = [agent.new_user(int(seed)) for seed in infos["seed"]]
    regrets, truncated = np.zeros(5), np.zeros(5, dtype=bool)
    while not truncated.any():
        advices = agent.recommend_many(users, list(infos["pool"]))
        arms = [int(advice.arms[0]) for advice in advices]
        actions = [pool.tolist().index(arm) for pool, arm in zip(infos["pool"], arms, strict=True)]
        seen, rewards, _, truncated, infos = envs.step(np.array(actions))
        for user, arm, reward in zip(users, arms, rewards, strict=True):
            agent.learn(user, arm, float(reward))
        regrets += infos["regret"]
    assert truncated.all()
    assert seen.shape == (5, 6, 4)
    results = cl.simulate({"L": agent}, people, rounds=10, seed=7, progress=False)
    np.testing.assert_allclose(regrets, results.final_regret("L")[0], atol=1e-12)


def test_a_registered_vector_environment_and_one_with_questions() -> None:
    people = PEOPLE["linear"]
    envs = gymnasium.make_vec(
        "conlinucb/People-v0",
        num_envs=2,
        vectorization_mode="vector_entry_point",
        catalog=CATALOG,
        people=people,
    )
    assert envs.reset(seed=0)[1]["user"].tolist() == [0, 1]
    asking = PeopleVectorEnv(CATALOG, people, users=[4, 1], questions=2)
    asking.reset(seed=0)
    assert asking.step(np.array([6, 7]))[0]["asked"].tolist() == [1, 2]


@pytest.mark.parametrize("name", ["gymnasium", "coba"])
def test_without_the_library_the_error_says_what_to_install(name: str) -> None:
    script = f"import sys; sys.modules['{name}'] = None\nimport conlinucb.adapters.{name}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert f"MissingExtra: conlinucb.adapters.{name} needs more packages" in done.stderr
    assert f"pip install 'conlinucb[{name}]'" in done.stderr

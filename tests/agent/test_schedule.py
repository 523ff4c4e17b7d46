"""When questions are due, and what becomes of those not asked or not answered."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.schedule import asked_by, questions
from support.worlds import same_state, settle, small_catalog

B = Callable[[int], float]
POWERS_OF_E = [2, 7, 20, 54, 148, 403, 1096, 2980]


def rounds_with_questions(schedule: B, last: int) -> dict[int, int]:
    counts = {t: questions(schedule, t) for t in range(1, last + 1)}
    return {t: n for t, n in counts.items() if n}


# b(t)


def test_never() -> None:
    assert rounds_with_questions(cl.Never(), 500) == {}
    assert rounds_with_questions(cl.Never(zero_based=True), 500) == {}


def test_logarithmic_asks_five_at_the_powers_of_e() -> None:
    assert rounds_with_questions(cl.Logarithmic(5), 3000) == dict.fromkeys(POWERS_OF_E, 5)


def test_logarithmic_counted_from_zero_is_one_round_later() -> None:
    later = [t + 1 for t in POWERS_OF_E]
    found = rounds_with_questions(cl.Logarithmic(5, zero_based=True), 3000)
    assert found == dict.fromkeys(later, 5)


@pytest.mark.parametrize("f", [5, 10, 20, 30, 0.5])
@pytest.mark.parametrize("t", [1, 2, 19, 20, 999, 1096, 5000])
def test_logarithmic_is_its_formula(f: float, t: int) -> None:
    assert cl.Logarithmic(f)(t) == f * math.floor(math.log(t + 1))
    assert cl.Logarithmic(f, zero_based=True)(t) == f * math.floor(math.log(t))


def test_half_a_question_waits_for_the_other_half() -> None:
    assert rounds_with_questions(cl.Logarithmic(0.5), 100) == {7: 1, 54: 1}


@pytest.mark.parametrize("b", [0.1, 0.29, 0.7, 1, 1.1, 2.5])
def test_linear_asks_floor_of_b_t_in_total(b: float) -> None:
    total = 0
    for t in range(1, 2001):
        total += questions(cl.Linear(b), t)
        assert total == asked_by(cl.Linear(b), t) == round(b * 100) * t // 100


def test_linear_below_one_does_ask() -> None:
    assert rounds_with_questions(cl.Linear(0.1), 50) == dict.fromkeys([10, 20, 30, 40, 50], 1)


def test_linear_counts_a_question_that_rounding_would_lose() -> None:
    assert 0.29 * 100 < 29
    assert asked_by(cl.Linear(0.29), 100) == 29
    assert questions(cl.Linear(0.29), 100) == 1


def test_linear_counted_from_zero() -> None:
    found = rounds_with_questions(cl.Linear(2, zero_based=True), 4)
    assert found == {2: 2, 3: 2, 4: 2}


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_every(n: int) -> None:
    assert rounds_with_questions(cl.Every(n), 20) == dict.fromkeys(range(n, 21, n), 1)
    later = rounds_with_questions(cl.Every(n, zero_based=True), 20)
    assert later == dict.fromkeys(range(n + 1, 21, n), 1)


def test_parameters_show_and_compare() -> None:
    assert repr(cl.Logarithmic(5)) == "Logarithmic(zero_based=False, f=5)"
    assert cl.Linear(2) == cl.Linear(2.0)
    assert cl.Linear(2) != cl.Linear(2, zero_based=True)


CUSTOM: dict[str, tuple[B, dict[int, int]]] = {
    "all at once": (lambda t: 4.0, {1: 4}),
    "square root": (lambda t: math.sqrt(t), {1: 1, 4: 1, 9: 1, 16: 1}),
    "numpy": (lambda t: float(np.floor(t / 8)), {8: 1, 16: 1}),
    "whole": (lambda t: 3 * (t >= 5), {5: 3}),
    "stops": (lambda t: min(t, 2), {1: 1, 2: 1}),
}


@pytest.mark.parametrize("custom", sorted(CUSTOM))
def test_any_function_is_a_schedule(custom: str) -> None:
    schedule, wanted = CUSTOM[custom]
    assert rounds_with_questions(schedule, 20) == wanted
    assert asked_in_rounds(schedule, 20) == wanted


# Through an agent


def asked_in_rounds(schedule: B, last: int) -> dict[int, int]:
    agent = cl.conlinucb(small_catalog(), schedule=schedule)
    user = agent.new_user()
    asked = {}
    for t in range(1, last + 1):
        before = user.questions
        settle(agent, user)
        agent.recommend(user)
        if user.questions > before:
            asked[t] = user.questions - before
    return asked


@pytest.mark.parametrize("zero_based", [False, True])
def test_an_agent_asks_when_the_schedule_says(zero_based: bool) -> None:
    wanted = {t + zero_based: 5 for t in POWERS_OF_E[:4]}
    assert asked_in_rounds(cl.Logarithmic(5, zero_based=zero_based), 60) == wanted


def test_the_recipes_use_the_schedule_of_the_experiments() -> None:
    for recipe in (cl.arm_con, cl.conucb, cl.conlinucb):
        assert recipe(small_catalog()).schedule == cl.Logarithmic(5)
    assert cl.linucb(small_catalog()).schedule == cl.Never()


def talkative(n: int = 3) -> tuple[cl.Agent, cl.User]:
    agent = cl.conlinucb(small_catalog(), strategy="random", schedule=cl.Linear(n))
    return agent, agent.new_user()


def ask(agent: cl.Agent, user: cl.User) -> cl.Question:
    question = agent.ask(user)
    assert question is not None
    return question


def test_questions_due_counts_down() -> None:
    agent, user = talkative(3)
    for left in (3, 2, 1):
        assert agent.questions_due(user) == left
        question = ask(agent, user)
        assert agent.questions_due(user) == left
        agent.hear(user, question, 0.5)
    assert agent.questions_due(user) == 0
    assert agent.ask(user) is None


def test_looking_changes_nothing() -> None:
    agent, user = talkative()
    ask(agent, user)
    before = user.to_arrays()
    agent.questions_due(user)
    agent.ask(user)
    assert same_state(before, user.to_arrays())


def test_questions_not_asked_lapse() -> None:
    agent, user = talkative(3)
    agent.hear(user, ask(agent, user), 0.5)
    agent.recommend(user)
    assert agent.questions_due(user) == 3
    agent.recommend(user)
    assert agent.questions_due(user) == 3
    assert user.questions == 1


def test_all_questions_of_a_lapsed_round_are_gone() -> None:
    agent = cl.conlinucb(small_catalog(), schedule=cl.Every(2))
    user = agent.new_user()
    due = []
    for _ in range(5):
        due.append(agent.questions_due(user))
        agent.recommend(user)
    assert due == [0, 1, 0, 1, 0]


def test_an_open_question_is_asked_again_whatever_is_offered() -> None:
    agent, user = talkative()
    question = agent.ask(user, offered=[2])
    assert question == cl.Question("term", 2, 1, 1)
    for offered in ([0], [5, 1], None):
        assert agent.ask(user, offered=offered) == question
    assert user.questions == 1


def test_a_skipped_question_teaches_nothing_and_counts() -> None:
    agent, user = talkative(2)
    agent.hear(user, ask(agent, user), None)
    assert not user.theta.any()
    assert np.array_equal(user.state.P, np.eye(3) / 0.15)
    assert agent.questions_due(user) == 1
    assert ask(agent, user).number == 2


def test_an_answer_of_zero_is_not_a_skip() -> None:
    agent, user = talkative(2)
    agent.hear(user, ask(agent, user), 0.0)
    assert not np.array_equal(user.state.P, np.eye(3) / 0.15)


def test_numbers_and_rounds_of_questions() -> None:
    agent, user = talkative(2)
    seen = []
    for _ in range(3):
        while (question := agent.ask(user)) is not None:
            seen.append((question.number, question.round))
            agent.hear(user, question, None)
        agent.recommend(user)
    assert seen == [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)]


def test_a_late_answer_teaches_and_settles_nothing_of_the_new_round() -> None:
    agent, user = talkative(2)
    late = ask(agent, user)
    agent.recommend(user)
    assert user.open == late
    assert agent.questions_due(user) == 2
    agent.hear(user, late, 1.0)
    assert user.theta.any()
    assert agent.questions_due(user) == 2
    assert ask(agent, user).round == 2


def test_a_late_question_is_asked_again_before_new_ones() -> None:
    agent, user = talkative(1)
    late = ask(agent, user)
    agent.recommend(user)
    assert ask(agent, user) == late
    agent.hear(user, late, None)
    fresh = ask(agent, user)
    assert (fresh.number, fresh.round) == (2, 2)
    agent.hear(user, fresh, None)
    assert agent.ask(user) is None


def test_a_late_answer_counts_as_much_as_one_in_time() -> None:
    agent, user = talkative(1)
    twin = agent.new_user()
    late = ask(agent, user)
    agent.recommend(user)
    agent.hear(user, late, 0.7)
    agent.hear(twin, ask(agent, twin), 0.7)
    assert np.array_equal(user.theta, twin.theta)


def test_a_late_answer_is_taken_when_nothing_is_due() -> None:
    agent = cl.conlinucb(small_catalog(), schedule=lambda t: 1.0)
    user = agent.new_user()
    late = ask(agent, user)
    for _ in range(3):
        agent.recommend(user)
    assert agent.ask(user) is None
    agent.hear(user, late, 1.0)
    assert user.open is None
    assert user.theta.any()


def test_arm_con_asks_about_the_arm_it_would_recommend() -> None:
    agent = cl.arm_con(small_catalog(), schedule=cl.Linear(2))
    user = agent.new_user()
    agent.learn(user, 4, 1.0)
    pool = [9, 4, 2, 7]
    question = agent.ask(user, pool)
    assert question is not None
    assert question.kind == "arm"
    advice = agent.recommend(user, pool)
    assert question.index == advice.arms[0]


def test_linucb_never_asks() -> None:
    agent = cl.linucb(small_catalog())
    user = agent.new_user()
    for _ in range(20):
        assert agent.questions_due(user) == 0
        assert agent.ask(user) is None
        agent.recommend(user)


@pytest.mark.parametrize(
    "b", [lambda t: 1 / (t + 1), lambda t: 0.95 - 0.0005 * t, lambda t: 2.1 + 0.8 / t]
)
def test_a_schedule_that_decreases_below_a_whole_question_is_refused(
    b: Callable[[int], float],
) -> None:
    with pytest.raises(cl.InvalidInput, match="never decrease"):
        cl.conlinucb(small_catalog(), schedule=b)

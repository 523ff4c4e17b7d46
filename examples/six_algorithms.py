"""Six algorithms meet the same twenty people, driven by hand, and their regrets are compared.

Everyone sees the same pools and the same noise, so differences are the algorithms' own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import conlinucb as cl

ARMS, TERMS, D, POOL, PEOPLE, ROUNDS = 500, 60, 12, 25, 20, 300
rng = np.random.default_rng(0)


def make_catalog() -> cl.Catalog:
    """Unit arms; each key-term belongs to 5 to 15 of them, every arm's terms weigh the same."""
    arms = rng.normal(size=(ARMS, D))
    arms /= np.linalg.norm(arms, axis=1, keepdims=True)
    member = np.zeros((ARMS, TERMS))
    for k in range(TERMS):
        member[rng.choice(ARMS, size=rng.integers(5, 16), replace=False), k] = 1.0
    return cl.Catalog(arms, member / np.maximum(member.sum(axis=1, keepdims=True), 1.0))


def regret(agent: cl.Agent, theta: NDArray[np.float64], seed: int) -> float:
    """Regret of one person's rounds; ``theta`` is the taste that the agent must find out."""
    draws = np.random.default_rng(seed)
    user, total = agent.new_user(seed=seed), 0.0
    for _ in range(ROUNDS):
        pool = draws.choice(ARMS, size=POOL, replace=False)
        noise, term_noise = draws.normal(scale=0.1, size=2)
        while (question := agent.ask(user, pool)) is not None:
            features = agent.catalog.terms if question.kind == "term" else agent.catalog.arms
            agent.hear(user, question, features[question.index] @ theta + term_noise)
        arm = int(agent.recommend(user, pool).arms[0])
        rewards = agent.catalog.arms[pool] @ theta
        reward = float(agent.catalog.arms[arm] @ theta)
        agent.learn(user, arm, reward + noise)
        total += float(rewards.max()) - reward
    return total


def main() -> None:
    """Print one line for each algorithm."""
    catalog = make_catalog()
    agents = {
        "LinUCB": cl.linucb(catalog, beta=1.2, alpha=0.5),
        "Arm-Con": cl.arm_con(catalog, beta=1.2, alpha=0.5),
        "ConUCB": cl.conucb(catalog),
        "ConLinUCB-UCB": cl.conlinucb(catalog, strategy="ucb", beta=0.2, alpha=0.1),
        "ConLinUCB-BS": cl.conlinucb(catalog, strategy="spanner", beta=0.15, alpha=0.1),
        "ConLinUCB-MCR": cl.conlinucb(catalog, strategy="max-radius", beta=0.15, alpha=0.1),
    }
    thetas = rng.normal(size=(PEOPLE, D))
    print(f"{PEOPLE} people, {ROUNDS} rounds, {ARMS} arms, {TERMS} key-terms, d = {D}")
    for name, agent in agents.items():
        regrets = [regret(agent, theta, seed) for seed, theta in enumerate(thetas)]
        error = np.std(regrets, ddof=1) / np.sqrt(PEOPLE)
        print(f"  {name:14s} regret {np.mean(regrets):6.1f} +- {1.96 * error:.1f}")


if __name__ == "__main__":
    main()

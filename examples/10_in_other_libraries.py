# %% [markdown]
# # 10. In other libraries
#
# Agents follow scikit-learn's conventions, tables of feedback go in and recommendations for many
# people come out, and people are Gymnasium environments. This example wants
# `pip install 'conlinucb[runner,gymnasium]' scikit-learn`.

# %%
import gymnasium
import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone

import conlinucb as cl
import conlinucb.adapters.gymnasium  # the import makes the environments known
from conlinucb.adapters.frames import BatchRecommender

films = cl.datasets.demo().catalog
agent = cl.linucb(films)

# %% [markdown]
# **Parameters** have names, as in scikit-learn; agents are equal where their parameters are.

# %%
wider = agent.replace(alpha=1.0)
print(wider.parameters())
print("a clone is equal:", clone(wider) == wider, "- the first agent is not:", wider == agent)

# %% [markdown]
# **Many people at once.** `BatchRecommender` keeps a state for each person of a table.

# %%
log = {
    "person": ["ann", "ann", "bo"],
    "arm": ["Alien (1979)", "Some Like It Hot (1959)", "Seven Samurai (1954)"],
    "reward": [1.0, 0.0, 1.0],
}
recommender = BatchRecommender(agent).fit(log)
recommender.partial_fit({"person": ["bo"], "arm": ["Alien (1979)"], "reward": [0.0]})
for person, best in zip(["ann", "bo"], recommender.predict(["ann", "bo"], k=2), strict=True):
    print(person, "->", ", ".join(best))

# %% [markdown]
# **Gymnasium.** An episode is one person; seen are the features of the round's pool, an action is
# a place in it. Any policy can be tried, here one that takes what is most like the good films so
# far.

# %%
rng = np.random.default_rng(0)
liked = rng.integers(len(films.term_ids), size=(30, 3))
people = cl.LinearUsers(films.terms[liked].sum(axis=1), pool_size=10)
env = gymnasium.make("conlinucb/People-v0", catalog=films, people=people, rounds=50)


def regret_of_policy(user: int) -> float:
    """What this policy loses against the best film of each pool, over one episode."""
    seen, info = env.reset(seed=0, options={"user": user})
    good, regret, truncated = np.zeros(films.d), 0.0, False
    while not truncated:
        action = int(np.argmax(seen @ good))
        chosen = seen[action]
        seen, reward, _, truncated, info = env.step(action)
        good = good + float(reward) * chosen
        regret += info["regret"]
    return regret


# %% [markdown]
# These are the rounds that `cl.simulate` plays with this seed, so the policy is compared with any
# agent on the same people, pools and noise.

# %%
results = cl.simulate({"LinUCB": agent}, people, rounds=50, seed=0)
theirs = np.mean([regret_of_policy(user) for user in range(len(people))])
print(f"regret after 50 rounds: this policy {theirs:.1f}, LinUCB", end=" ")
print(f"{results.final_regret('LinUCB').mean():.1f}")

# %%
figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
axes.plot(results.rounds, results.metric("LinUCB", "regret").mean(axis=(0, 1)), label="LinUCB")
axes.plot(50, theirs, "o", label="this policy, in Gymnasium")
axes.set(xlabel="round", ylabel="regret so far", ylim=0)
axes.legend()
plt.show()

# %% [markdown]
# # 6. People of your own
#
# Real people do not answer with a number to three digits. They say yes or no, shrug, or mix
# things up. Wrappers turn any people into such people, and compose. What a yes counts for is the
# listener's choice: `yes=0.7, no=0.5` is about how much such people like what they say yes and no
# to, 1 and 0 are far off.

# %%
import matplotlib.pyplot as plt
import numpy as np

import conlinucb as cl
from conlinucb.checks import check_people
from conlinucb.randomness import derive, uniform

films = cl.datasets.demo().catalog
rng = np.random.default_rng(0)
liked = rng.integers(len(films.term_ids), size=(40, 3))
tastes: np.ndarray = films.terms[liked].sum(axis=1)
exact = cl.LinearUsers(tastes, noise=0.1, pool_size=25)
crowds: dict[str, cl.People] = {
    "exact": exact,
    "1 or 0": cl.YesNo(exact, at=0.65),
    "yes or no": (yes_no := cl.YesNo(exact, at=0.65, yes=0.7, no=0.5)),
    "half refused": cl.Refuses(yes_no, 0.5),
    "a fifth lies": cl.Lies(yes_no, 0.2, low=0.5, high=0.7),
}

# %% [markdown]
# What are questions still worth? Each crowd is met by an agent that asks, and by the same agent
# without questions.

# %%
asks = cl.conlinucb(films, strategy="MCR", schedule=cl.Every(2))
agents = {"asks": asks, "silent": asks.replace(schedule=cl.Never())}
gains = {
    name: cl.simulate(agents, people, rounds=60, seed=0).compare("asks", "silent")
    for name, people in crowds.items()
}
for name, gain in gains.items():
    print(f"{name:<12} {100 * gain.improvement:4.0f} % less regret than without questions")

# %% [markdown]
# A yes that is understood is worth nearly as much as the number. One that is taken for 1, where
# no is taken for 0, hardly helps: mind the scale of answers. (A population learns it from a log
# of rewards and answers: docs/population.md.)

# %%
figure, axes = plt.subplots(figsize=(6, 2.9), layout="constrained")
middle = [each.difference for each in gains.values()]
off = [each.high - each.difference for each in gains.values()]
axes.errorbar(middle, list(gains), xerr=off, fmt="o", capsize=3)
axes.axvline(0.0, color="black", linewidth=1)
axes.invert_yaxis()
axes.set_xlabel("regret with questions less regret without, 95 % interval")
plt.show()

# %% [markdown]
# People of your own are a class: how many there are, what an item is worth to them, what it
# brings, what they answer. Chance is drawn from `place.at`, the seed of this person's round, so
# every agent meets the same. These people click or not, and answer the first question of a round
# only.


# %%
class Hurried(cl.People):
    pool_size = 25

    def __len__(self) -> int:
        return len(tastes)

    def values(self, place: cl.Place, arms: np.ndarray) -> np.ndarray:
        chances: np.ndarray = np.clip(place.catalog.arms[arms] @ tastes[place.user], 0.0, 1.0)
        return chances

    def reward(self, place: cl.Place, arm: int) -> float:
        chance = self.values(place, np.array([arm]))[0]
        return float(uniform(derive(place.at, 100), 0) < chance)  # streams from 100 on are yours

    def answer(self, place: cl.Place, question: cl.Question, number: int) -> float | None:
        return float(question.probe @ tastes[place.user] > 0.5) if number == 0 else None


check_people(Hurried(), films)
print(cl.simulate(agents, Hurried(), rounds=10, seed=0))

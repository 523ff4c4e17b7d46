# %% [markdown]
# # 7. What other people's feedback tells about a newcomer
#
# A newcomer is not a blank page: people have much in common. `cl.Population.fit` learns from a
# log of others what a person is likely to like, how far people differ and what an answer is
# worth. It is a prior: pass it as `prior=`.

# %%
import matplotlib.pyplot as plt
import numpy as np

import conlinucb as cl

films = cl.datasets.demo().catalog.with_constant()
rng = np.random.default_rng(0)
loved = [films.term_index(each) for each in ("comedies", "adventures", "feel-good")]
terms = films.terms.copy()
terms[:, films.constant] = 0.0  # tastes differ in topics here, not in how much everything is liked


def somebody(count: int) -> np.ndarray:
    """Tastes: what everybody likes, and two topics of one's own."""
    own = terms[rng.integers(len(terms), size=(count, 2))].sum(axis=1)
    tastes: np.ndarray = 0.8 * (terms[loved].mean(axis=0) + own)
    return tastes


# %% [markdown]
# The log: 300 people rated 12 films each. A dictionary of columns is a table, too.

# %%
others = somebody(300)
person = np.repeat(np.arange(300), 12)
film = rng.integers(len(films), size=person.size)
value = (films.arms[film] * others[person]).sum(axis=1) + 0.1 * rng.normal(size=person.size)
log = {"person": person, "id": [films.arm_ids[each] for each in film], "value": value}

population = cl.Population.fit(films, log)
told = population.summary()
print(population)
print(f"of held-out ratings, {told['coverage']:.0%} lie in their 90 % intervals")

# %% [markdown]
# Then 60 newcomers, who were not in the log, meet the agent for newcomers with and without the
# population. It asks one question a round.

# %%
newcomers = cl.LinearUsers(somebody(60), noise=0.1, pool_size=25)
agents = {
    "without": cl.for_newcomers(films),
    "with others' log": cl.for_newcomers(films, prior=population),
}
results = cl.simulate(agents, newcomers, rounds=30, seed=0)
print(results.summary("regret", round=5))
print(results.compare("with others' log", "without", round=5))

# %%
results.plot("regret")
plt.show()

# %% [markdown]
# `population.save("people.npz")` keeps it, `cl.Population.load` reads it again, and
# `conlinucb.report.draw_population` draws what was learned. The service learns one from its own
# log.

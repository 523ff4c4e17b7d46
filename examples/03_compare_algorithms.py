# %% [markdown]
# # 3. Compare algorithms
#
# `cl.simulate` lets several agents meet the same people under the same chance: the same pools of
# items, the same noise. So differences between agents are their own, and are compared person by
# person.

# %%
import matplotlib.pyplot as plt
import numpy as np

import conlinucb as cl

films = cl.datasets.demo().catalog
rng = np.random.default_rng(0)
liked = rng.integers(len(films.term_ids), size=(60, 3))  # everybody has three favourite topics
tastes = films.terms[liked].sum(axis=1)
people = cl.LinearUsers(tastes, noise=0.1, pool_size=25)

# %% [markdown]
# LinUCB learns from rewards alone. The other two ask about key-terms, too: ConUCB in two steps,
# ConLinUCB with the strategy MCR (maximal confidence radius) in one estimate.

# %%
agents = {
    "MCR": cl.conlinucb(films, strategy="MCR"),
    "ConUCB": cl.conucb(films),
    "LinUCB": cl.linucb(films),
}
results = cl.simulate(agents, people, rounds=200, repeats=2, seed=0)
print(results.summary())

# %%
results.plot("regret")
plt.show()

# %% [markdown]
# Three agents are three pairs. Who looks at several pairs finds differences that chance made, so
# p-values are corrected and intervals hold together.

# %%
print(results.compare_all())

# %% [markdown]
# The constants above are the recipes' defaults, and nobody chose them for these people. Before
# you say that one algorithm is better than another, tune both: example 8.
#
# An agent that is tried later joins the others, as long as people, seed and rounds are the same.

# %%
later = {"BS": cl.conlinucb(films, strategy="BS")}
joined = results.join(cl.simulate(later, people, rounds=200, repeats=2, seed=0))
print(joined)

# %% [markdown]
# # 8. Tune fairly
#
# Algorithms with constants that nobody chose with care are not compared, their constants are.
# `cl.tune` searches the parameters of each on the same budget and the same people, and scores
# what it chose on people who were not tuned on.

# %%
import matplotlib.pyplot as plt
import numpy as np

import conlinucb as cl

rng = np.random.default_rng(0)
catalog = cl.Catalog(rng.normal(size=(200, 5)), rng.random((200, 20)) < 0.1)
people = cl.LinearUsers(rng.normal(size=(40, 5)), pool_size=20)


def steady(alpha: float, beta: float, every: int = 4) -> cl.Agent:
    """An algorithm of one's own: it asks at random, in a steady rhythm."""
    return cl.conlinucb(
        catalog, strategy="random", alpha=alpha, beta=beta, schedule=cl.Every(every)
    )


# %% [markdown]
# A `Space` is a recipe, or a function of your own, with ranges. Without any range those that come
# with the recipe are searched.

# %%
spaces = {
    "MCR": cl.Space(cl.conlinucb, catalog, strategy="MCR"),
    "steady": cl.Space(
        steady, alpha=cl.Log(0.003, 3.0), beta=cl.Log(0.001, 10.0), every=cl.Whole(2, 20)
    ),
    "LinUCB": cl.Space(cl.linucb, catalog),
}
tuned = cl.tune(spaces, people, rounds=80, budget=24, seed=0)
print(tuned.summary())

# %% [markdown]
# Read it before you believe a comparison: how much a careless choice costs (*worst*), whether the
# budget reached the optimum (a negative number under *divided, multiplied* says it did not),
# whether a range was too narrow (*at the edge*).

# %%
tuned.plot()
plt.show()

# %% [markdown]
# The score is an ordinary result of `simulate`, of the 20 people who were not tuned on.

# %%
print(tuned.results.compare_all(against="LinUCB"))

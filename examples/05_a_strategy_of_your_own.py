# %% [markdown]
# # 5. A strategy of your own
#
# A strategy says which key-term to ask about. It is any object with a name and a method `choose`
# that returns one of `view.offered`. The view has the estimate (`theta`, `cov`), the features of
# the key-terms, and more; a strategy depends on nothing else.
#
# This one asks about the key-term that is most in doubt: whose answer may be 0.5, as far as
# anybody knows.

# %%
import matplotlib.pyplot as plt
import numpy as np

import conlinucb as cl
from conlinucb.checks import check_strategy


class Doubtful:
    name = "doubtful"

    def choose(self, view: cl.View) -> int:
        x = view.terms[view.offered]
        radii = np.sqrt(((x @ view.cov) * x).sum(axis=1))
        return int(view.offered[np.argmin(np.abs(x @ view.theta - 0.5) - radii)])


# %% [markdown]
# The package's checks try it on both estimators: it chooses what is offered, chooses the same
# from the same view, changes nothing it is shown, and goes on after save and load. A careless one
# fails.

# %%
check_strategy(Doubtful())


class Careless:
    name = "careless"

    def choose(self, view: cl.View) -> int:
        return 0  # whether it is offered or not


try:
    check_strategy(Careless())
except AssertionError as error:
    print("careless:", error)

# %% [markdown]
# It runs wherever a built-in strategy does. Is it worth its name? `random` is the one to beat.

# %%
films = cl.datasets.demo().catalog
rng = np.random.default_rng(1)
liked = rng.integers(len(films.term_ids), size=(20, 3))
people = cl.LinearUsers(films.terms[liked].sum(axis=1), noise=0.1, pool_size=25)
strategies = {"doubtful": Doubtful(), "random": "random", "MCR": "MCR"}
agents = {name: cl.conlinucb(films, strategy=each) for name, each in strategies.items()}
results = cl.simulate(agents, people, rounds=60, seed=0)
print(results.compare_all(against="random"))

# %%
results.plot("regret")
plt.show()

# %% [markdown]
# In plain Python some thousand rounds a second are played. `@cl.strategy_kernel` compiles the
# same choice for hundreds of thousands: docs/own-strategy.md.

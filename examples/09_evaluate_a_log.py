# %% [markdown]
# # 9. Evaluate on a log, without trying it on anybody
#
# What would another agent have earned, had it been there in place of the one that was? Where the
# log says how likely each choice was, its *propensity*, that can be answered.

# %%
import matplotlib.pyplot as plt
import numpy as np

import conlinucb as cl

rng = np.random.default_rng(0)
catalog = cl.Catalog(rng.normal(size=(40, 4)) / 2, rng.random((40, 8)) < 0.3)
tastes = np.array([0.6, 0.3, 0.0, 0.0]) + 0.5 * rng.normal(size=(300, 4))
people = cl.LinearUsers(tastes, noise=0.3, pool_size=5)

# %% [markdown]
# The log is of an agent that takes its best guess, and in three of ten rounds anything at random.
# Its people are simulated, so that the truth is known; yours is a table with the same columns.

# %%
logger = cl.linucb(catalog, select=cl.EpsilonGreedy(0.3))
log = cl.synthetic_log(logger, people, rounds=10, seed=0)
for column in ("person", "round", "action", "reward", "propensity", "pool"):
    print(f"{column:<11}", log.table[column][:3])

# %% [markdown]
# The target learns from a person's past in the log, and before each decision it is asked what it
# would have done. Six estimators say what that would have earned.

# %%
target = cl.linucb(catalog, alpha=0.2)
found = cl.evaluate(log.table, target)
truth = log.value(target)
print(found)
print(f"truth: {truth:.4f}")

# %%
figure, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
axes.axvline(truth, color="#D55E00", linestyle="--", label="the truth")
for each in (found.logged, *found.estimates.values()):
    off = [[each.value - each.low], [each.high - each.value]]
    colour = "0.5" if each is found.logged else "#0072B2"
    axes.errorbar([each.value], [each.name], xerr=off, fmt="o", capsize=3, color=colour)
axes.invert_yaxis()
axes.set_xlabel("mean reward of a decision, 95 % interval")
axes.legend(frameon=False)
plt.show()

# %% [markdown]
# A 95 % interval misses the truth in one log of twenty; that of `dm`, a model of rewards alone,
# misses it for a reason it cannot know of: the log was made *for* people, so what they were shown
# looks good for everybody. Prefer `dr`, which mends the model by propensities.
#
# A log that left nothing to chance tells nothing about other choices. Then there is no number,
# but a reason.

# %%
certain = cl.synthetic_log(cl.linucb(catalog), people, rounds=10, seed=0)
print(cl.evaluate(certain.table, target)["dr"].refused)

# %% [markdown]
# `conlinucb.report.draw_offline(found, "offline.svg")` draws estimates and weights into a file.

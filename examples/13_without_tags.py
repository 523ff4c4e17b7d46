# %% [markdown]
# # 13. Embeddings without tags: groups, pairs, pick some
#
# Items with embeddings and nothing else have no key-terms to ask about. Groups of items that are
# near each other become key-terms: then everything that asks about tags asks about groups. Here
# the embeddings are 20 numbers for each of the demo films, and their topics are thrown away.

# %%
import matplotlib.pyplot as plt
import numpy as np

import conlinucb as cl

films = cl.datasets.demo().catalog
bare = cl.Catalog.from_embeddings(films.arms, films.arm_ids)
print(len(bare.term_ids), "key-terms before")

# %% [markdown]
# Groups are made without chance: the same embeddings give the same groups. They are named after
# words of their titles or the titles in the middle, unless you give names.

# %%
catalog = bare.with_clusters(16)
group = catalog.weights.toarray().argmax(axis=1)
print(len(catalog.term_ids), "groups, for example:")
for name in catalog.term_ids[:4]:
    print("  ", name)

# %% [markdown]
# Then there is a choice of what to ask: "do you like films like these?" of one group, "which do
# you prefer?" of two, "which of these do you like?" of six.

# %%
ask_often = cl.Every(2)
agents = {
    "one group": cl.conlinucb(catalog, strategy="informative", schedule=ask_often),
    "which of two": cl.conlinucb(
        catalog, strategy="informative-pairs", pair_update="both", schedule=ask_often
    ),
    "any of six": cl.conlinucb(catalog, strategy="pick-any", schedule=ask_often),
    "no questions": cl.linucb(catalog, beta=0.15, alpha=0.1),
}
for name in ("one group", "which of two", "any of six"):
    question = agents[name].replace(schedule=cl.Every(1)).ask(agents[name].new_user())
    assert question is not None
    print(f"{name}: {question.kind} of {len(question.ids)}")

# %% [markdown]
# Simulated people have three favourite groups. They answer by what they think of each group, with
# noise; of two they say which is better, of six they pick those from 0.5 on.

# %%
rng = np.random.default_rng(0)
liked = rng.integers(len(catalog.term_ids), size=(60, 3))
tastes = catalog.terms[liked].sum(axis=1)
people = cl.Compares(cl.LinearUsers(tastes, noise=0.1, pool_size=25), noise=0.1)
results = cl.simulate(agents, people, rounds=60, seed=0)
print(results.compare_all(against="no questions"))

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.9), layout="constrained")
centred = films.arms - films.arms.mean(axis=0)
two = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
left.scatter(*two.T, c=group, cmap="tab20", s=12)
left.set(title="films by group, in two of 20 directions", xticks=[], yticks=[])
for name in agents:
    mean = results.metric(name, "regret").mean(axis=(0, 1))
    right.plot(results.rounds, mean, label=name)
right.set(title="what is lost", xlabel="round", ylabel="regret so far")
right.legend()
plt.show()

# %% [markdown]
# Which way suits your people is not decided by simulated ones: `conlinucb people --ways` compares
# ways of asking on a log of your own.

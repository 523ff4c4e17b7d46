# %% [markdown]
# # 12. Real ratings
#
# What do people who rate films have in common, where do they differ, and what do some answers
# tell about somebody new? These are people of MovieLens. Where the data are not on this machine
# (`conlinucb data fetch movielens` and `conlinucb data fetch ml-latest-small` bring them, or
# `CONLINUCB_DATA` says where they are), the same is done with made-up ratings, and what is printed
# and drawn says so.

# %%
import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

import conlinucb as cl
from conlinucb.errors import MissingData

rng = np.random.default_rng(0)


def made_up() -> cl.datasets.Interactions:
    """250 people who rate 40 of 120 films: three genres each, and tastes about genres."""
    genres = np.array([rng.permutation(12)[:3] for _ in range(120)])
    tastes = np.linspace(0.3, 0.8, 12) + 0.15 * rng.normal(size=(250, 12))
    film = np.concatenate([rng.permutation(120)[:40] for _ in range(250)])
    person = np.repeat(np.arange(250), 40)
    value = tastes[person[:, None], genres[film]].mean(axis=1) + 0.1 * rng.normal(size=film.size)
    stars = {"person": person, "item": film, "value": np.clip(value, 0.0, 1.0)}
    tags = {"item": np.repeat(np.arange(120), 3), "tag": [f"genre {k}" for k in genres.ravel()]}
    return cl.datasets.interactions(stars, tags, name="made up", range=(0.0, 1.0))


try:
    logged = cl.datasets.ratings(min_ratings=50, min_films=40)
    source = "people of MovieLens"
except MissingData:
    logged, source = made_up(), "MADE-UP ratings: no data here"
print(source)
print(logged)

# %% [markdown]
# A fifth of the people are newcomers. From the others come the features of films, beside their
# tags and genres, and the population: what a person is like in general.

# %%
newcomer = rng.random(len(logged.user_ids)) < 0.2
theirs = ~newcomer[logged.people]
tagged = logged.weights.tocoo()
names = np.array([str(each) for each in logged.term_ids])
catalog = cl.Catalog.from_interactions(
    {
        "user": logged.people[theirs],
        "item": logged.items[theirs],
        "value": logged.values[theirs],
    },
    {"item": tagged.row, "tag": names[tagged.col]},
    features="people+tags",
    d=5,
    tag_d=12,
).with_constant()
population = cl.Population.fit(
    catalog,
    {
        "person": logged.people[theirs],
        "id": logged.items[theirs],
        "value": logged.values[theirs],
    },
    unknown="skip",
)
print(population)

# %% [markdown]
# Every key-term has a mean over people, and a spread: how far people differ in it. Drawn are those
# that people differ in most and least.

# %%
mean = catalog.terms @ population.mean
spread = np.sqrt(((catalog.terms @ population.covariance) * catalog.terms).sum(axis=1))
order = np.argsort(spread)
few = min(6, len(order) // 2)
shown = np.concatenate([order[:few], order[-few:]])
labels = [str(catalog.term_ids[k]) for k in shown]
figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
axes.errorbar(mean[shown], labels, xerr=spread[shown], fmt="o", capsize=3)
axes.set(title=source, xlabel="liking from 0 to 1: mean, and the standard deviation of people")
plt.show()

# %% [markdown]
# Which ten answers tell most about everybody? `agent.questionnaire` chooses them together, before
# anybody came.

# %%
agent = cl.for_newcomers(catalog, prior=population)
questions = [catalog.term_ids[k] for k in agent.questionnaire(10)]
print("asked of everybody:", ", ".join(map(str, questions[:5])), "...")

# %% [markdown]
# Newcomers answer with the mean of half of their films that have the key-term, or not at all where
# there are none. Then their other films are predicted: from the population alone, and with what
# they said.

# %%
arm = {number: index for index, number in enumerate(catalog.arm_ids)}
has = sparse.csc_array((catalog.weights > 0).astype(float))
errors = []
for person in np.flatnonzero(newcomer):
    rows = [row for row in np.flatnonzero(logged.people == person) if logged.items[row] in arm]
    films = np.array([arm[number] for number in logged.items[rows]])
    value = logged.values[rows]
    user = agent.new_user()
    before = catalog.arms[films[1::2]] @ user.theta
    for topic in questions:
        with_it = has[films[::2], catalog.term_index(topic)].toarray().ravel() > 0
        if with_it.any():
            agent.volunteer(user, topic, float(value[::2][with_it].mean()))
    after = catalog.arms[films[1::2]] @ user.theta
    errors.append([np.abs(value[1::2] - each).mean() for each in (before, after)])
before, after = np.mean(errors, axis=0)
print(f"{len(errors)} newcomers, mean error of a prediction (rating from 0 to 1):")
print(f"knowing others {before:.3f}, with the answers {after:.3f}")
better = np.mean(np.diff(errors, axis=1) < 0)
print(f"better with answers for {better:.0%} of them")

# %% [markdown]
# Which film to recommend is another question than how each would be rated: `conlinucb people
# ratings` plays these people in full, with every baseline and intervals.

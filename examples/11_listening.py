# %% [markdown]
# # 11. Real listening
#
# Simulated people are linear because somebody made them so; these are people of Last.FM and what
# they listened to. Where the data are not on this machine (`conlinucb data fetch lastfm` brings
# them, or `CONLINUCB_DATA` says where they are), the same is played with made-up listeners, and
# what is printed and drawn says so.

# %%
import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

import conlinucb as cl
from conlinucb.errors import MissingData

rng = np.random.default_rng(0)


def made_up() -> cl.datasets.Interactions:
    """300 listeners who love two of 15 styles each, and 150 artists of three styles."""
    styles = np.array([rng.permutation(15)[:3] for _ in range(150)])
    loved = np.array([rng.permutation(15)[:2] for _ in range(300)])
    fit = (styles[None, :, :, None] == loved[:, None, None, :]).sum(axis=(2, 3))
    who, artist = np.nonzero(rng.random((300, 150)) < np.array([0.05, 0.5, 0.8])[fit])
    tags = {"item": np.repeat(np.arange(150), 3), "tag": [f"style {k}" for k in styles.ravel()]}
    return cl.datasets.interactions(
        {"person": who, "item": artist}, tags, name="made up", implicit=True
    )


try:
    logged, source = cl.datasets.listening(min_listeners=50, min_artists=40), "people of Last.FM"
except MissingData:
    logged, source = made_up(), "MADE-UP listeners: no data here"
print(source)
print(logged)

# %% [markdown]
# 100 people are newcomers, of whom nothing is learned; 200 others are the log. An artist's
# features are its tags and who among the others listened to it, a constant, and how many did.

# %%
artists = [logged.items[logged.people == person] for person in range(len(logged.user_ids))]
able = rng.permutation([person for person, each in enumerate(artists) if len(each) >= 16])
newcomers, others = able[:100], able[100:300]
plays = np.isin(logged.people, others)
tagged = logged.weights.tocoo()
catalog = cl.Catalog.from_interactions(
    {"user": logged.people[plays], "item": logged.items[plays]},
    {"item": tagged.row, "tag": tagged.col, "weight": tagged.data},
    features="people+tags",
    d=10,
    tag_d=10,
)
heard = np.bincount(logged.items[plays], minlength=len(logged.item_ids))[list(catalog.arm_ids)]
catalog = catalog.with_constant().with_popularity(heard)
print(catalog)

# %% [markdown]
# Half of a person's artists answers questions, the other half is what can be found, so that an
# answer never gives a reward away. Asked about a tag, people say which share of their artists has
# it.

# %%
arm = {number: index for index, number in enumerate(catalog.arm_ids)}
mine = [rng.permutation([arm[each] for each in known if each in arm]) for known in artists]
has = sparse.csr_array((catalog.weights > 0).astype(float))


def said(people: np.ndarray) -> np.ndarray:
    """People x tags: the share of the first half that has the tag."""
    return np.array([has[mine[person][::2]].mean(axis=0) for person in people])


def to_find(people: np.ndarray) -> np.ndarray:
    """People x artists: 1 for those of the second half, unknown for the others."""
    table = np.full((len(people), len(catalog)), np.nan)
    for row, person in enumerate(people):
        table[row, mine[person][1::2]] = 1.0
    return table


# %% [markdown]
# What the others are like is learned from what they found, beside four artists each that they
# never met, and from what they said. Newcomers then play ten rounds; in each, ten artists are
# there to choose from, two of them their own.

# %%
who, what = np.nonzero(to_find(others) == 1.0)
answers = said(others)
asked = np.tile(catalog.term_ids, len(others))
log = {
    "person": np.concatenate([who, np.repeat(np.arange(len(others)), answers.shape[1])]),
    "kind": ["reward"] * len(who) + ["answer"] * answers.size,
    "id": np.concatenate([np.array(catalog.arm_ids)[what], asked]),
    "value": np.concatenate([np.ones(len(who)), answers.ravel()]),
}
population = cl.Population.fit(catalog, log, negatives=4)
people = cl.LoggedPeople(to_find(newcomers), said(newcomers), pool_size=10, own=2)
informed = cl.conlinucb(catalog, strategy="informative", prior=population, schedule=cl.Linear(1))
agents = {
    "asks": informed,
    "does not ask": informed.replace(schedule=cl.Never()),
    "asks, knows nobody": cl.conlinucb(catalog, strategy="MCR", schedule=cl.Linear(1)),
}
results = cl.simulate(agents, people, rounds=10, seed=0)

# %% [markdown]
# The list of the most popular is what newcomers are shown in most places, and hard to beat.

# %%
rounds = np.arange(1, 11)


def listed(row: int, t: int) -> bool:
    """Whether the most popular artist of this newcomer's round is one of theirs."""
    pool = people.round(people.place(catalog, seed=0, repeat=0, user=row, round=t)).pool
    return pool[np.argmax(heard[pool])] in mine[newcomers[row]][1::2]


hits = {name: 100 * results.metric(name, "reward")[0].mean(axis=0) / rounds for name in agents}
popular = np.array([[listed(row, int(t)) for t in rounds] for row in range(len(people))])
hits["most popular"] = 100 * popular.cumsum(axis=1).mean(axis=0) / rounds
for name, share in sorted(hits.items(), key=lambda each: -each[1][4]):
    print(f"{share[4]:3.0f} % of the first five are theirs: {name}")

# %%
figure, axes = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for name, share in hits.items():
    axes.plot(rounds, share, "--" if name == "most popular" else "o-", label=name)
axes.set(title=source, xlabel="round", ylabel="hits so far, in percent", ylim=(0, 100))
axes.legend()
plt.show()

# %% [markdown]
# One draw of 100 people, to look at: differences of some points are chance. The long run, with
# every baseline and its intervals, is `conlinucb people listening`.

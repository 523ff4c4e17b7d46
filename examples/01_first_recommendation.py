# %% [markdown]
# # 1. A first recommendation
#
# A *catalogue* holds items and the key-terms people can be asked about. An *agent* decides what
# to ask and what to recommend. A *user* is what the agent knows of one person. Four verbs drive a
# conversation: `ask` and `hear` as long as questions are due, then `recommend` and `learn`.

# %%
import matplotlib.pyplot as plt
import numpy as np

import conlinucb as cl

films = cl.datasets.demo(d=None).catalog  # 360 films and 58 topics that come with the package
agent = cl.for_newcomers(films)  # one question before each recommendation
user = agent.new_user(seed=0)
print(films)

# %% [markdown]
# Somebody who likes westerns and revenge sits in front of it, and is pleased by films that have
# one of these topics. To begin with they name one; what came up is not asked about again.

# %%
LIKED = {"westerns", "revenge"}
weights = films.weights.toarray()  # films x topics
fits = weights[:, [films.term_index(topic) for topic in sorted(LIKED)]].any(axis=1)

agent.volunteer(user, "westerns", 1.0)
seen: list[int] = []
for _ in range(4):
    new = [k for k in range(len(films.term_ids)) if k not in user.times]
    question = agent.ask(user, offered=new)
    assert question is not None  # this agent always has one
    topic = str(question.ids[0])
    agent.hear(user, question, float(topic in LIKED))
    advice = agent.recommend(user, k=3, exclude=seen)
    for arm in advice.arms.tolist():
        agent.learn(user, arm, float(fits[arm]))
        seen.append(arm)
    print(f"{topic}? {'yes' if topic in LIKED else 'no'}.", ", ".join(map(str, advice.ids)))

# %% [markdown]
# `agent.estimates` is what is believed of every topic, with its uncertainty: the ten that are
# expected to be liked most.

# %%
believed = agent.estimates(user)
top = np.argsort(believed.means)[-10:]
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
names = [str(films.term_ids[k]) for k in top]
axes.errorbar(believed.means[top], names, xerr=believed.radii[top], fmt="o", capsize=3)
axes.set_xlabel("expected answer, with one standard deviation")
plt.show()

# %% [markdown]
# A person is a handful of arrays, stored without pickle. Loaded, they go on exactly as before.

# %%
arrays = user.to_arrays()  # np.savez("ann.npz", **arrays)
same = agent.load_user(arrays)
print("the same next film:", agent.recommend(same, exclude=seen).ids[0])

# %% [markdown]
# # 4. What an answer does
#
# With two features, a belief can be drawn: the estimate is a point, and what is not known yet is
# an ellipse around it. A question about a key-term cuts the ellipse in the direction of the
# key-term's features. MCR (maximal confidence radius) asks where the ellipse is widest.

# %%
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import conlinucb as cl

TRUE = np.array([0.5, 0.8])  # what this person likes: the second feature more than the first
films = ["Alien", "Solaris", "Notting Hill", "Amelie"]
features = [[1.0, 0.1], [0.9, 0.4], [0.1, 1.0], [0.3, 0.9]]
tags = [[1, 0], [1, 0], [0, 1], [0, 1]]
topics = ["science fiction", "romance"]
catalog = cl.Catalog(features, tags, arm_ids=films, term_ids=topics)
ALPHA = 0.3
agent = cl.conlinucb(catalog, strategy="MCR", beta=0.3, alpha=ALPHA, schedule=cl.Every(1))


# %%
def draw(axes: Axes, user: cl.User, title: str) -> None:
    """The estimate, the tastes within alpha radii of it, the truth and the key-terms."""
    lower = np.tril(user.state.P)
    P = lower + np.tril(lower, -1).T  # symmetric: the lower triangle counts
    angles = np.linspace(0.0, 2.0 * np.pi, 100)
    circle = np.stack([np.cos(angles), np.sin(angles)])
    edge = user.theta[:, None] + ALPHA * np.linalg.cholesky(P) @ circle
    axes.fill(*edge, color="#0072B2", alpha=0.2)
    axes.plot(*user.theta, "o", color="#0072B2", label="estimate")
    axes.plot(*TRUE, "*", color="#D55E00", markersize=12, label="truth")
    for name, term in zip(topics, catalog.terms, strict=True):
        axes.annotate("", term, (0.0, 0.0), arrowprops={"arrowstyle": "->", "color": "0.4"})
        axes.annotate(name, term, color="0.4", ha="center", va="bottom")
    axes.set(title=title, xlim=(-0.7, 1.4), ylim=(-0.7, 1.2), aspect="equal")
    axes.set(xlabel="first feature")


# %% [markdown]
# A newcomer, then one reward, then one answer. The reward of "Alien" tells about its own
# direction only, so the ellipse stays wide across; the question goes there.

# %%
figure, panels = plt.subplots(1, 3, figsize=(9.5, 3.7), layout="constrained", sharey=True)
user = agent.new_user()
draw(panels[0], user, "a newcomer")
panels[0].set_ylabel("second feature")

reward = float(catalog.arms[catalog.arm_index("Alien")] @ TRUE)
agent.learn(user, "Alien", reward)
draw(panels[1], user, f"after Alien: reward {reward:.1f}")

question = agent.ask(user)
assert question is not None
answer = float(question.probe @ TRUE)
agent.hear(user, question, answer)
draw(panels[2], user, f"after {question.ids[0]}: answer {answer:.1f}")

handles, labels = panels[0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
plt.show()

# %%
print("asked about:", question.ids[0])
print("recommended:", agent.recommend(user).ids[0])

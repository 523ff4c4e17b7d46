"""The pictures of the concepts, drawn by the library: python docs/pictures.py [FOLDER]."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

import conlinucb as cl
from conlinucb.simulation.looks import METADATA, RC

HERE = Path(__file__).parent / "concepts"
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#666666"


def ellipse(axes: Axes, mean: Any, covariance: Any, color: str, label: str) -> None:
    """One standard deviation around a mean."""
    angles = np.linspace(0.0, 2.0 * np.pi, 200)
    circle = np.stack([np.cos(angles), np.sin(angles)])
    edge = np.asarray(mean)[:, None] + np.linalg.cholesky(covariance) @ circle
    axes.fill(*edge, color=color, alpha=0.15)
    axes.plot(*edge, color=color, label=label)


def covariance_of(user: cl.User, noise: float) -> Any:
    """What is not known of a person: noise times P, of which the lower triangle counts."""
    lower = np.tril(user.state.P)
    return noise * (lower + np.tril(lower, -1).T)


def catalogue() -> Any:
    """A key-term lies in the middle of its items."""
    rng = np.random.default_rng(5)
    centres = {"crime": (1.0, 0.2), "space": (0.2, 1.0), "romance": (-0.6, 0.5)}
    arms = np.concatenate([centre + 0.16 * rng.normal(size=(6, 2)) for centre in centres.values()])
    tags = np.kron(np.eye(3), np.ones((6, 1)))
    tags[5, 1] = tags[11, 2] = 1  # a crime story in space, a romance among the stars
    catalog = cl.Catalog(arms, tags / tags.sum(axis=1, keepdims=True), term_ids=list(centres))
    figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for term, color in enumerate((ORANGE, BLUE, GREEN)):
        middle = catalog.terms[term]
        for arm in np.flatnonzero(tags[:, term]):
            axes.plot(*np.stack([arms[arm], middle]).T, color=color, linewidth=0.8, alpha=0.6)
        axes.plot(*middle, "D", color=color, markersize=10)
        axes.annotate(catalog.term_ids[term], middle, xytext=(9, 9), textcoords="offset points")
    axes.plot(*arms.T, "o", color=GREY, markersize=5)
    axes.set(aspect="equal", xlabel="first feature", ylabel="second feature")
    return figure


def belief() -> Any:
    """How a reward and an answer shrink the ellipse, each across its own direction."""
    arms, tags = [[1.0, 0.1], [0.9, 0.4], [0.1, 1.0], [0.3, 0.9]], [[1, 0], [1, 0], [0, 1], [0, 1]]
    topics, truth, noise = ("science fiction", "romance"), np.array([0.3, 0.8]), 0.05
    catalog = cl.Catalog(arms, tags, ["Alien", "Solaris", "Notting Hill", "Amelie"], topics)
    prior = cl.Gaussian(np.array([0.4, 0.4]), 0.2 * np.eye(2), noise)
    agent = cl.conlinucb(catalog, prior=prior, schedule=cl.Every(1))
    figure, panels = plt.subplots(1, 3, figsize=(10, 3.9), layout="constrained", sharey=True)
    user = agent.new_user()

    def draw(axes: Axes, title: str) -> None:
        ellipse(axes, user.theta, covariance_of(user, noise), BLUE, "what is not known yet")
        axes.plot(*user.theta, "o", color=BLUE, label="estimate")
        axes.plot(*truth, "*", color=ORANGE, markersize=13, label="truth")
        for name, term in zip(topics, catalog.terms, strict=True):
            axes.annotate("", term, (0, 0), arrowprops={"arrowstyle": "->", "color": GREY})
            axes.annotate(name, term, color=GREY, ha="center", va="bottom")
        axes.set(title=title, xlim=(-0.2, 1.3), ylim=(-0.2, 1.2), aspect="equal")
        axes.set_xlabel("liking of the first feature")

    draw(panels[0], "a newcomer")
    reward = float(catalog.arms[0] @ truth)
    agent.learn(user, "Alien", reward)
    draw(panels[1], f"after the reward of Alien: {reward:.2f}")
    question = agent.ask(user)
    assert question is not None
    answer = float(question.probe @ truth)
    agent.hear(user, question, answer)
    draw(panels[2], f"after {question.ids[0]}: {answer:.2f}")
    panels[0].set_ylabel("liking of the second feature")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def population() -> Any:
    """What others are like, and what that is worth to somebody new."""
    rng = np.random.default_rng(3)
    arms = rng.normal(size=(300, 2)) / np.sqrt(2)
    catalog = cl.Catalog(arms, rng.random((300, 12)) < 0.1)
    root = np.array([[0.35, 0.0], [-0.25, 0.12]])
    tastes = np.array([0.7, 0.3]) + rng.normal(size=(240, 2)) @ root.T
    person, arm = np.repeat(np.arange(200), 15), rng.integers(300, size=3000)
    value = (arms[arm] * tastes[person]).sum(axis=1) + 0.2 * rng.normal(size=3000)
    log = {"person": person, "id": arm, "value": value}
    fitted = cl.Population.fit(catalog, log, range=(-3.0, 3.0))
    people = cl.LinearUsers(tastes[200:], noise=0.2, pool_size=10)
    agents = {
        "from others": cl.linucb(catalog, prior=fitted, alpha=0.25),
        "from nothing": cl.linucb(catalog, beta=1.0, alpha=0.25),
    }
    results = cl.simulate(agents, people, rounds=15, repeats=20, seed=0)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    left.plot(*tastes[:200].T, ".", color=GREY, alpha=0.5, label="people in the log (hidden)")
    ellipse(left, fitted.mean, fitted.covariance, BLUE, "the population learned from it")
    ellipse(left, np.zeros(2), np.eye(2), ORANGE, "beta = 1: nothing known")
    left.set(aspect="equal", title="where a belief starts", xlim=(-1.2, 2.0), ylim=(-1.2, 1.4))
    left.set(xlabel="liking of the first feature", ylabel="liking of the second feature")
    left.legend(loc="lower left", fontsize="small")
    for name, color in (("from others", BLUE), ("from nothing", ORANGE)):
        regret = results.metric(name, "regret").mean(axis=(0, 1))
        right.plot(results.rounds, regret, color=color, label=name)
    right.set(title="what 40 newcomers lose", xlabel="round", ylabel="regret so far", ylim=0)
    right.legend()
    return figure


def spanner() -> Any:
    """Which key-terms a barycentric spanner takes: a pair of which all others are mixtures."""
    rng = np.random.default_rng(4)
    terms = rng.normal(size=(40, 2)) @ np.array([[1.0, 0.5], [0.0, 0.45]])
    found = cl.barycentric_spanner(terms)
    first, second = terms[found.indices]
    figure, axes = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
    corners = [first + second, first - second, -first - second, -first + second]
    axes.add_patch(Polygon(corners, color=BLUE, alpha=0.12, label="mixtures with weights -1 to 1"))
    axes.plot(*terms.T, "o", color=GREY, markersize=4, label="key-terms")
    axes.plot(*terms[found.indices].T, "o", color=BLUE, markersize=10, label="the spanner")
    for member in (first, second):
        axes.annotate("", member, (0, 0), arrowprops={"arrowstyle": "->", "color": BLUE})
    axes.set(aspect="equal", xlabel="first feature", ylabel="second feature")
    axes.legend(loc="upper left")
    return figure


ASKED = 8


def questions() -> Any:
    """Why max-radius asks odd things and informative does not: the demo films."""
    catalog = cl.datasets.demo().catalog.with_constant()
    prior = cl.Gaussian.stated(catalog)
    breadth = np.asarray((catalog.weights > 0).sum(axis=0)).ravel()
    radii = cl.conlinucb(catalog, prior=prior)
    wide = radii.estimates(radii.new_user()).radii
    figure, axes = plt.subplots(figsize=(9, 4.8), layout="constrained")
    axes.plot(breadth, wide, "o", color="0.75", label="topics of the demo films")
    for name, color, mark in (("max-radius", ORANGE, "s"), ("informative", BLUE, "D")):
        agent = cl.conlinucb(catalog, strategy=name, prior=prior, schedule=cl.Linear(ASKED))
        user, asked = agent.new_user(), []
        for _ in range(ASKED):
            question = agent.ask(user)
            assert question is not None
            agent.hear(user, question, 0.25)
            asked.append(question.index)
        different = list(dict.fromkeys(asked))
        axes.plot(
            breadth[different],
            wide[different],
            mark,
            color=color,
            markersize=8,
            fillstyle="none",
            markeredgewidth=2,
            label=f"first {ASKED} asked by {name}",
        )
        for i, term in enumerate(different[:4]):
            side, down = ("left", 6) if name == "max-radius" else ("right", (-14, 12, -16, -28)[i])
            axes.annotate(
                catalog.term_ids[term],
                (breadth[term], wide[term]),
                color=color,
                ha=side,
                xytext=(8 if side == "left" else -6, down),
                textcoords="offset points",
                fontsize="small",
            )
    axes.set(xlabel="films that have the topic", ylabel="radius: how little is known of it")
    axes.legend()
    return figure


PICTURES: dict[str, Callable[[], Any]] = {
    each.__name__: each for each in (catalogue, belief, population, spanner, questions)
}


def draw_all(folder: Path) -> list[Path]:
    """Every picture as an SVG in the folder; without dates, so that the same is the same."""
    folder.mkdir(parents=True, exist_ok=True)
    looks: Any = plt.rcParams
    looks.update(RC)
    paths = []
    for name, draw in PICTURES.items():
        figure = draw()
        paths.append(folder / f"{name}.svg")
        figure.savefig(paths[-1], metadata=METADATA["svg"])
        plt.close(figure)
    return paths


if __name__ == "__main__":
    for path in draw_all(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE):
        print(path)

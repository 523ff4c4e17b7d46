"""Three people made up from a catalogue's topics, who talk to it by the four verbs of its agent."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.agent.picked import Picked
from conlinucb.agent.question import Question
from conlinucb.numerics.validation import Indices
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.schemas.preview import ExamplePerson, ExampleStep, ShownItem

NAMES = ("One person", "Another", "A third")
ROUNDS, ITEMS = 4, 3
MOST_ITEMS, MOST_TOPICS = 20_000, 2_000
NONE_ABOVE = (
    f"Example people talk to catalogues of up to {MOST_ITEMS:,} items and {MOST_TOPICS:,} topics; "
    "this one is larger, and would keep you waiting."
)
MOST_TERMS_SHOWN = 8


def too_large(version: CatalogueVersion) -> bool:
    """Whether playing it through would keep someone waiting."""
    catalog = version.catalog
    return len(catalog) > MOST_ITEMS or len(catalog.term_ids) > MOST_TOPICS


def example_people(version: CatalogueVersion, counts: Indices) -> list[ExamplePerson]:
    """Each likes two topics: says one of them to begin with, and answers about the other."""
    pairs = _tastes(version, counts)
    return [_talk(version, name, pair) for name, pair in zip(NAMES, pairs, strict=False)]


def _tastes(version: CatalogueVersion, counts: Indices) -> list[tuple[int, int]]:
    """A narrow and a broader topic each, all different as long as there are enough."""
    live = version.catalog.live_terms
    telling = live[(counts[live] > 1) & (counts[live] <= max(len(version.catalog) // 2, 1))]
    found = telling if telling.size > 1 else live
    order = found[np.argsort(-counts[found], kind="stable")]
    half = max(order.size // 2, 1)
    several = range(min(len(NAMES), half))
    return [(int(order[at + half]), int(order[at])) for at in several if at + half < order.size]


def _talk(version: CatalogueVersion, name: str, likes: tuple[int, int]) -> ExamplePerson:
    agent, (low, high) = version.agent, version.settings.range
    fitting = _having(version, likes)
    user, left = agent.new_user(), version.catalog.live_terms
    agent.volunteer(user, likes[0], high)
    left, seen, steps = left[left != likes[0]], list[int](), list[ExampleStep]()
    for _ in range(ROUNDS):
        question = agent.ask(user, None, left) if left.size else None
        asked, answer, about = None, None, list[str]()
        if question is not None:
            about = [str(each) for each in question.ids]
            asked = version.question_text(question.kind, about, question.pick)
            answer, heard = _answer(version, question, likes, fitting)
            agent.hear(user, question, heard)
            left = left if question.kind == "arm" else np.setdiff1d(left, question.indices)
        if len(seen) >= version.catalog.live_arms.size:
            break
        advice = agent.recommend(user, None, ITEMS, exclude=np.array(seen, dtype=np.int64))
        for arm in advice.arms:
            agent.learn(user, int(arm), high if fitting[arm] else low)
            seen.append(int(arm))
        steps.append(
            ExampleStep(
                asked=asked,
                about=about,
                answer=answer,
                shown=[_shown(version, int(arm), bool(fitting[arm])) for arm in advice.arms],
            )
        )
    names = [str(version.catalog.term_ids[each]) for each in likes]
    return ExamplePerson(
        name=name,
        likes=names,
        says=names[0],
        steps=steps,
        fitting=int(fitting[seen].sum()),
        shown=len(seen),
        chance=round(float(fitting[version.catalog.live_arms].mean()), 3),
    )


def _answer(
    version: CatalogueVersion, question: Question, likes: tuple[int, int], fitting: np.ndarray
) -> tuple[str, Any]:
    """What they say, in words and as the agent hears it."""
    low, high = version.settings.range
    if question.kind in ("term", "arm"):
        about = fitting[question.index] if question.kind == "arm" else question.index in likes
        return ("yes", high) if about else ("no", low)
    liked = [k for k in question.indices if k in likes]
    names = [str(version.catalog.term_ids[k]) for k in liked]
    if question.kind == "pair":
        said = tuple(high if k in likes else low for k in question.indices)
        return names[0] if len(names) == 1 else "Both" if names else "Neither", said
    which = liked[:1] if question.pick == "best" else liked
    return ", ".join(names[: len(which)]) or "None of these", Picked(tuple(which), low, high)


def _having(version: CatalogueVersion, likes: tuple[int, int]) -> np.ndarray:
    """Which items have one of these topics."""
    start, terms, _ = version.catalog._graph
    arms = np.repeat(np.arange(len(version.catalog)), np.diff(start))
    found = np.zeros(len(version.catalog), dtype=bool)
    found[arms[np.isin(terms, likes)]] = True
    return found


def _shown(version: CatalogueVersion, arm: int, fits: bool) -> ShownItem:
    item = str(version.catalog.arm_ids[arm])
    return ShownItem(
        item=item,
        title=version.look_of(item)["title"],
        topics=version.terms_of(item)[:MOST_TERMS_SHOWN],
        fits=fits,
    )

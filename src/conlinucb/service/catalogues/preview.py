"""What an upload would become, before anything is stored: coverage, questions, example people."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.question import Question
from conlinucb.agent.user import User
from conlinucb.numerics.validation import Indices
from conlinucb.service.catalogues.example_people import NONE_ABOVE, example_people, too_large
from conlinucb.service.catalogues.uploads import Upload
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.schemas.preview import Coverage, FirstQuestion, PreviewOut, TopicCount

QUESTIONS = 5
MOST_SHOWN = 100
FIRST = 10
"""Of a longer list so many are named."""
FEW_TOPICS, MANY_ALONE = 3, 0.5
CLEARLY = 0.001
"""Of a range of answers from 0 to 1."""


def preview_of(upload: Upload, version: CatalogueVersion) -> PreviewOut:
    """All that a builder wants to see before people talk to it."""
    counts, coverage = topic_counts(version), coverage_of(upload, version)
    skipped = too_large(version)
    return PreviewOut(
        understood=upload.understood,
        items=int(version.catalog.live_arms.size),
        topics=int(version.catalog.live_terms.size),
        coverage=coverage,
        warnings=_warnings(version, coverage),
        ask_about=version.settings.ask_about,
        questions=first_questions(version, counts),
        people=[] if skipped else example_people(version, counts),
        without_people=NONE_ABOVE if skipped else "",
    )


def topic_counts(version: CatalogueVersion) -> Indices:
    """How many items have each topic, in the order of the catalogue."""
    _, terms, _ = version.catalog._graph
    return np.bincount(terms, minlength=len(version.catalog.term_ids))


def coverage_of(upload: Upload, version: CatalogueVersion) -> Coverage:
    """What is known of items through their topics."""
    counts, names = topic_counts(version), version.catalog.term_ids
    order = np.argsort(-counts, kind="stable")
    alone = [str(names[each]) for each in np.flatnonzero(counts == 1)]
    return Coverage(
        without_topics=len(upload.bare),
        without=list(upload.bare[:FIRST]),
        topics_an_item=round(float(counts.sum()) / max(len(version.catalog), 1), 2),
        topics=[
            TopicCount(topic=str(names[each]), items=int(counts[each]))
            for each in order[:MOST_SHOWN]
        ],
        alone=len(alone),
        alone_topics=alone[:FIRST],
    )


def _warnings(version: CatalogueVersion, coverage: Coverage) -> list[str]:
    items, topics = len(version.catalog), len(version.catalog.term_ids)
    found = []
    if topics < FEW_TOPICS:
        found.append(f"There are only {topics} topics: a conversation would soon be over.")
    if coverage.alone > MANY_ALONE * topics:
        found.append(
            f"{coverage.alone} of {topics} topics belong to one item alone: an answer about them "
            "says nothing about any other item. Broader topics tell more."
        )
    everywhere = [each.topic for each in coverage.topics if each.items == items > 1]
    if everywhere:
        found.append(f"Every item has {everywhere[0]!r}: it tells none from another.")
    return found


def first_questions(version: CatalogueVersion, counts: Indices) -> list[FirstQuestion]:
    """What a newcomer is asked who answers each time as is expected of people in general."""
    agent, found = version.agent, list[FirstQuestion]()
    user, left = agent.new_user(), version.catalog.live_terms
    least = 1 if agent.chooser is None or agent.chooser.kind == "term" else 2
    limit = version.settings.max_questions
    while left.size >= least and len(found) < min(QUESTIONS, QUESTIONS if limit is None else limit):
        question = agent.ask(user, None, left)
        if question is None:
            if user.rounds >= 3 * QUESTIONS:  # a schedule may let rounds pass, but not for ever
                break
            agent.recommend(user)
            continue
        before, expected = agent.estimates(user), agent.expects(user, question)[0]
        reasons = _reasons(version, user, question, left, counts)
        agent.hear(user, question, expected)
        if question.kind == "term":
            falls = 1 - agent.estimates(user).radii / np.maximum(before.radii, 1e-12)
            reasons += _also_tells(version, falls, question, left)
        if question.kind != "arm":
            left = np.setdiff1d(left, question.indices)
        found.append(_told(version, question, counts, reasons))
        if not agent.questions_left(user):
            agent.recommend(user)
    return found


def _told(
    version: CatalogueVersion, question: Question, counts: Indices, reasons: list[str]
) -> FirstQuestion:
    names = [str(each) for each in question.ids]
    items = int(counts[question.index]) if question.kind == "term" else _having(version, question)
    text = version.question_text(question.kind, names, question.pick)
    return FirstQuestion(topic=" / ".join(names), text=text, items=items, why=" ".join(reasons))


def _having(version: CatalogueVersion, question: Question) -> int:
    """How many items have any of what is asked about."""
    if question.kind == "arm":
        return 1
    several = version.catalog._weights[version.catalog.live_arms][:, list(question.indices)]
    return int((np.asarray((several > 0).sum(axis=1)).ravel() > 0).sum())


def _reasons(
    version: CatalogueVersion, user: User, question: Question, left: Indices, counts: Indices
) -> list[str]:
    if question.kind == "pair":
        return [
            f"{_having(version, question)} of {len(version.catalog)} items have one of the two. Of "
            "all pairs the answer tells most about what could be recommended."
        ]
    if question.kind == "group":
        how = "any of them may be picked" if question.pick == "any" else "the best is picked"
        return [
            f"{_having(version, question)} of {len(version.catalog)} items have one of these; "
            f"{how}. They are chosen together, each as if those before it had been answered."
        ]
    if question.kind != "term":
        return ["It asks about what it would recommend, to be sure of it."]
    belief, at = version.agent.estimates(user), question.index
    others = left[left != at]
    spread = f"{int(counts[at])} of {len(version.catalog)} items have it."
    if not others.size:
        return [spread, "It is the last topic."]
    if belief.means[at] > belief.means[others].max() + CLEARLY:
        return [spread, "Of the topics that are left, a yes is likeliest here."]
    if belief.radii[at] > belief.radii[others].max() - CLEARLY:
        return [spread, "Of the topics that are left, it knows least about this one."]
    return [spread, "A yes is likely here, and it is not sure of it yet."]


def _also_tells(
    version: CatalogueVersion, falls: np.ndarray, question: Question, left: Indices
) -> list[str]:
    """The other topics that become surer by the answer, too."""
    others = left[left != question.index]
    best = others[np.argsort(-falls[others], kind="stable")[:2]]
    named = [f"“{version.catalog.term_ids[each]}”" for each in best if falls[each] > 0.02]
    return [f"The answer also says something about {' and '.join(named)}."] if named else []

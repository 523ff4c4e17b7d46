"""What is counted of the log: each event once, when it is written."""

from __future__ import annotations

from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.observe import observer
from conlinucb.service.storage import (
    AnswerBody,
    Event,
    QuestionBody,
    RecommendationBody,
    RewardBody,
)


def report(event: Event, version: CatalogueVersion) -> None:
    """Tell of an event that was just written."""
    body, catalogue = event.body, version.name
    match body:
        case QuestionBody():
            observer.count("questions", catalogue=catalogue)
        case AnswerBody():
            word = answer_word(body, version.settings.range)
            observer.count("answers", catalogue=catalogue, answer=word)
        case RecommendationBody():
            observer.count("recommendations", catalogue=catalogue)
            if body.items:
                mean = sum(each.mean for each in body.items) / len(body.items)
                observer.measure("shown_value", mean, catalogue=catalogue)
        case RewardBody():
            observer.measure("rewards", body.reward, catalogue=catalogue)
        case _:
            observer.count("retractions", catalogue=catalogue)


def answer_word(body: AnswerBody, scale: tuple[float, float]) -> str:
    """What the log can tell of an answer: a number at an end of the range is a yes or a no.

    >>> said = {"about": "term", "id": "jazz", "question": 1}
    >>> bodies = [AnswerBody(**said, answer=each) for each in (None, 0.0, 0.4, 1.0)]
    >>> bodies.append(AnswerBody(**said, answer=None, said="unknown"))
    >>> [answer_word(each, (0, 1)) for each in bodies]
    ['skip', 'no', 'number', 'yes', 'unknown']
    """
    if body.answer is None:
        return body.said or "skip"
    low, high = scale
    return {low: "no", high: "yes"}.get(body.answer, "number")

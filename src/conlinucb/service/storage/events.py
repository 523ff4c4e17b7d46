"""What events say, by kind. A row that was written whole may still be nonsense: parsing finds out.

Fields that this version does not know are ignored, so that logs of other versions can be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from conlinucb.errors import Damaged

LARGEST_NUMBER = 1e100
LARGEST_COUNT = 2**53
LARGEST_GROUP = 16
_LONGEST_VALUE = 80
_LONGEST_REASON = 200

Number = Annotated[float, Field(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, lt=LARGEST_COUNT)]
About = Literal["term", "arm", "pair", "group"]
"""A key-term, an item, two of either kind against each other, or several together."""
Pick = Literal["any", "best"]


class _Checked(BaseModel):
    """Checked strictly when it is made or read, and never changed."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class EventBody(_Checked):
    """What all kinds of events share."""

    kind: ClassVar[str]

    def written(self) -> dict[str, Any]:
        """The fields as the log keeps them, those that were never set left out."""
        return self.model_dump(exclude_unset=True)


class DecisionBody(EventBody):
    """Who decided, and among what: so that another way to decide can be judged by the log.

    None of these is in events of before they were kept.
    """

    population: Count | None = None
    """The population it was decided under; None for none."""
    version: Count | None = None
    """The catalogue's."""
    agent: str | None = None
    """A digest of the agent's parameters."""
    experiment: Count | None = None
    """Its number; None for someone who is in none."""
    arm: str | None = None
    """Of the experiment."""
    pool: str | None = None
    """A digest of what there was to choose from, in order, by id; ``excluded`` among it."""
    pool_size: Count | None = None
    excluded: Count | None = None
    """How many of the pool were left out: excluded by the caller, resting, or rated before."""
    excluded_digest: str | None = None
    """Of their ids, in order."""


class QuestionBody(DecisionBody):
    """What was asked, and what was believed of it then."""

    kind: ClassVar[str] = "question"

    about: About
    id: str | None = None
    """Of a key-term or an item."""
    ids: list[str] | None = None
    """Of a pair or a group."""
    pick: Pick | None = None
    """Of a group: whether any of it may be picked, or the best."""
    number: Count
    round: Count
    text: str
    strategy: str
    mean: Number
    radius: Number
    rank: Count | None = None
    of: Count | None = None
    propensity: Number | None = None
    """How likely this question was, of those that could be asked; None where nothing tells."""

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of all that it is about."""
        return _names(self.id, self.ids)

    @model_validator(mode="after")
    def _is_about_something(self) -> Self:
        _check_names(self.about, self.id, self.ids)
        return self


class AnswerBody(EventBody):
    """What was said to a question, or about a key-term that nobody asked about; None is a skip."""

    kind: ClassVar[str] = "answer"

    question: Count | None = None
    """The event of the question; None where it was volunteered."""
    about: About
    id: str | None = None
    ids: list[str] | None = None
    pick: Pick | None = None
    answer: Number | None
    """Of a group the mean of what was said of each, the ends of the range for yes and no."""
    said: Literal["yes", "no", "unknown"] | None = None
    """The word it was given in; what that is as a number depends on the range of then. Who does not
    know has said more than who skipped."""
    chose: Literal["first", "second", "both", "neither"] | None = None
    """Of a pair."""
    picked: list[str] | None = None
    """Of a group: ids of what was picked."""

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of all that it is about."""
        return _names(self.id, self.ids)

    @model_validator(mode="after")
    def _is_about_something(self) -> Self:
        _check_names(self.about, self.id, self.ids)
        if self.picked is not None and not set(self.picked) <= set(self.ids or ()):
            raise ValueError(f"its picked is {_short(self.picked)}, not all of it among its ids")
        if self.question is None and (self.about != "term" or self.answer is None):
            raise ValueError(
                f"it has no question, its about is {self.about!r} and its answer "
                f"{_short(self.answer)}: volunteered is a number about a term"
            )
        return self


class RecommendedItem(_Checked):
    """One item of a recommendation, and what was believed of it then."""

    item: str
    score: Number
    mean: Number
    radius: Number
    exploring: bool
    propensity: Number | None = None
    """How likely it was to be among those shown in this round; None where nothing tells."""


class RecommendationBody(DecisionBody):
    """What was shown, best first."""

    kind: ClassVar[str] = "recommendation"

    round: Count
    items: list[RecommendedItem]
    random: bool = False
    """True where the items were drawn from the pool, whatever is believed of them."""
    propensity: Number | None = None
    """Of a random draw: how likely each item of the pool was among those shown."""
    again: bool = False
    """True where fresh items were asked for, and what was shown lately had to return."""
    first: Number | None = None
    """Of several: how likely the first of them was to stand first; None where nothing tells."""
    among: list[Count] | None = None
    """What could be shown, where that is little: places in the catalogue."""
    left_out: list[Count] | None = None
    """Otherwise what of the whole catalogue could not be, where that is little."""
    shadow: dict[str, list[str]] | None = None
    """What arms that only watch would have shown."""


class RewardBody(EventBody):
    """How an item was liked, recommended or not."""

    kind: ClassVar[str] = "reward"

    decision: Count | None = None
    """The event of the recommendation; None where it was volunteered."""
    item: str
    reward: Number


class RetractionBody(EventBody):
    """An answer or a reward taken back."""

    kind: ClassVar[str] = "retraction"

    of: Count
    """The event that is taken back."""


Body = QuestionBody | AnswerBody | RecommendationBody | RewardBody | RetractionBody
KINDS: dict[str, type[Body]] = {
    each.kind: each
    for each in (QuestionBody, AnswerBody, RecommendationBody, RewardBody, RetractionBody)
}


def parse(kind: str, text: str) -> Body:
    """The body of an event; raises ``Damaged`` for what is none.

    >>> parse("retraction", '{"of":2}')
    RetractionBody(of=2)
    >>> parse("retraction", '{"of":[2]}')
    Traceback (most recent call last):
    conlinucb.errors.Damaged: its of is [2]: Input should be a valid integer
    """
    model = KINDS.get(kind)
    if model is None:
        raise Damaged(f"its kind is {kind!r}, not one of {', '.join(KINDS)}")
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        raise Damaged(flaw(error)) from None


def flaw(error: ValidationError) -> str:
    """The first thing that is wrong with a body: the field, its value, and what would be right."""
    first = error.errors(include_url=False)[0]
    place, message = ".".join(map(str, first["loc"])), first["msg"]
    match first["type"]:
        case "json_invalid":
            found = f"it is no JSON: {message.removeprefix('Invalid JSON: ')}"
        case "missing":
            found = f"it has no {place}"
        case "value_error":  # our own, which says all of it
            found = message.removeprefix("Value error, ")
        case _:
            what = f"its {place}" if place else "it"
            found = f"{what} is {_short(first['input'])}: {message}"
    return found[:_LONGEST_REASON]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."


def _names(one: str | None, several: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(several or ()) if one is None else (one,)


def _check_names(about: About, one: str | None, several: Sequence[str] | None) -> None:
    """One thing has an ``id``, several have ``ids``."""
    if about in ("term", "arm"):
        right, wanted = one is not None and several is None, "an id and no ids"
    else:
        most = 2 if about == "pair" else LARGEST_GROUP
        right = one is None and several is not None and 2 <= len(several) <= most
        wanted = f"{'2' if about == 'pair' else f'2 to {most}'} ids and no id"
    if not right:
        came = f"its id is {_short(one)}, its ids are {_short(several)}"
        raise ValueError(f"{came}: with about {about!r} there must be {wanted}")

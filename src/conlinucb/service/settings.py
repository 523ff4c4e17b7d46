"""What an application builder may set for a catalogue: the agent, its range, and when it asks."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

DEFAULT_AGENT: dict[str, Any] = {"recipe": "for_newcomers"}
"""One question before each recommendation, as long as ``max_questions`` allows; before every other
where several topics are asked about at once."""
Finite = Annotated[float, Field(allow_inf_nan=False, ge=-1e100, le=1e100, strict=True)]
Bound = Annotated[float, Field(allow_inf_nan=False, ge=-1e9, le=1e9, strict=True)]
PRINTED = r"^[^\x00-\x1f\x7f-\x9f\ufffd]+$"
"""No control characters, and not the sign that stands for bytes that were no text."""
LONGEST_REST = 200
"""Most that ``rest_after_shown`` may count: what people were shown is kept for so long."""
Noun = Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=PRINTED)]
Sentence = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=PRINTED)]


AskAbout = Literal["one", "pair", "any", "best"]
TOPICS_AT_ONCE = 6
"""Topics to pick any of."""
ASKING: dict[AskAbout, dict[str, Any]] = {
    "one": {},
    "pair": {"strategy": "informative-pairs", "pair_update": "difference"},
    "any": {"strategy": {"name": "pick-any", "by": "informative", "size": TOPICS_AT_ONCE}},
    "best": {"strategy": {"name": "best-of", "by": "informative", "size": 4}},
}
"""What the agent is told so that questions are of this kind."""
_SELDOM: dict[AskAbout, dict[str, Any]] = {"any": {"schedule": {"name": "every", "n": 2}}}
"""Six topics at once are more to read, and tell more: where the agent names no schedule."""
_ASKING = ("strategy", "pair_update")
_NOT_ASKING = ("linucb", "arm_con")
"""Recipes that ask about no key-terms."""
_NEW: frozenset[str] = frozenset({"public", "any_question", "best_question", "ask_about"})
"""Fields that the version before does not know, and would refuse to read."""


class Settings(BaseModel):
    """Of one catalogue. Checked as a whole before it is accepted, agent included."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={"examples": [{"agent": DEFAULT_AGENT, "max_questions": 10}]},
    )

    agent: dict[str, Any] = Field(
        default=DEFAULT_AGENT,
        description="recipe (for_newcomers, linucb, arm_con, conucb, conlinucb, logistic) and its "
        "parameters: strategy, schedule {name: never | logarithmic | linear | every | "
        "when-worth, ...}, beta, alpha, mix, ...",
    )
    range: tuple[Bound, Bound] = Field(
        default=(0.0, 1.0), description="Lowest and highest answer and reward; no and yes."
    )
    ask_about: AskAbout = Field(
        default="one",
        description="What a question is like: one (about one topic, or as the agent's own strategy "
        "has it), pair (which of two), any (which of several), best (the best of several).",
    )
    max_questions: int | None = Field(
        default=20,
        ge=0,
        le=1_000_000,
        strict=True,
        description="Most questions a person is asked; null: any.",
    )
    rest_after_skip: int = Field(
        default=20,
        ge=0,
        le=1_000_000,
        strict=True,
        description="A skipped question rests while so many others are asked.",
    )
    rest_after_answer: int = Field(
        default=1_000_000,
        ge=0,
        le=1_000_000,
        strict=True,
        description="The same for an answered one; by default nobody is asked the same twice.",
    )
    rest_after_shown: int = Field(
        default=20,
        ge=0,
        le=LONGEST_REST,
        strict=True,
        description="What was shown rests for so many recommendations, where fresh ones are asked "
        "for.",
    )
    noun: Noun = Field(default="item", description="What one item is called, as in a film.")
    nouns: Noun = Field(default="items", description="What several are called.")
    explore: float = Field(
        default=0.0,
        ge=0.0,
        le=0.2,
        allow_inf_nan=False,
        strict=True,
        description="Share of recommendations whose items are drawn at random, and marked so.",
    )
    population: Literal["off", "fit", "auto"] = Field(
        default="auto",
        description="What people are like in general is never learned, learned from the log, or "
        "learned and used at once.",
    )
    population_least: int = Field(
        default=50,
        ge=1,
        le=1_000_000_000,
        strict=True,
        description="People with at least 3 rewards below whom nothing is learned.",
    )
    population_days: float = Field(
        default=7.0,
        gt=0.0,
        le=36_500.0,
        allow_inf_nan=False,
        description="It is learned anew after so many days, and when a quarter more people came.",
    )
    question: Sentence = Field(
        default="Do you like {term}?",
        description="How a key-term is asked about where the catalogue has no text of its own.",
    )

    pair_question: Sentence = Field(
        default="Do you like {first} more than {second}?",
        description="How a pair of key-terms is asked about, where the strategy asks for pairs.",
    )

    any_question: Sentence = Field(
        default="Which of these do you like?",
        description="How several key-terms are asked about where any may be picked; {terms} is "
        "where their names may stand.",
    )

    best_question: Sentence = Field(
        default="Which of these do you like best?",
        description="The same where the best of them is asked for.",
    )

    public: bool = Field(
        default=False,
        strict=True,
        description="Whether visitors of an open page, who have no key, may see it and talk.",
    )

    @property
    def asking_agent(self) -> dict[str, Any]:
        """The agent, with the strategy that ``ask_about`` stands for, and how often that asks."""
        return {**_SELDOM.get(self.ask_about, {}), **self.agent, **ASKING[self.ask_about]}

    def under(self, agent: dict[str, Any]) -> Settings:
        """The same with another agent; one that has a strategy of its own asks by that."""
        own = agent.get("recipe") in _NOT_ASKING or any(each in agent for each in _ASKING)
        asks: AskAbout = "one" if own else self.ask_about
        return self.model_copy(update={"agent": agent, "ask_about": asks})

    def to_log(self) -> bytes:
        """As the change log keeps it: readable for the version before while nothing new is set."""
        unsaid = {
            each for each in _NEW if getattr(self, each) == type(self).model_fields[each].default
        }
        return self.model_dump_json(exclude=unsaid).encode()

    @field_validator("pair_question")
    @classmethod
    def _names_both(cls, text: str) -> str:
        if "{first}" not in text or "{second}" not in text:
            raise ValueError("pair_question must have {first} and {second}")
        return text

    @field_validator("question")
    @classmethod
    def _names_the_term(cls, text: str) -> str:
        if "{term}" not in text:
            raise ValueError("question must have {term} where the topic is to stand")
        return text

    @model_validator(mode="after")
    def _asks_in_one_way(self) -> Self:
        if self.ask_about == "one":
            return self
        recipe, twice = self.agent.get("recipe"), [each for each in _ASKING if each in self.agent]
        if recipe in _NOT_ASKING:
            raise ValueError(
                f"ask_about is {self.ask_about!r}, but the recipe {recipe} asks about no topics: "
                f"choose another recipe, such as for_newcomers, or ask_about = 'one'"
            )
        if twice:
            raise ValueError(
                f"ask_about is {self.ask_about!r}, which chooses the {twice[0]}, but agent has "
                f"{twice[0]} = {self.agent[twice[0]]!r}: leave one of them out"
            )
        return self

    @model_validator(mode="after")
    def _range_is_one(self) -> Self:
        low, high = self.range
        if not low < high:
            raise ValueError(f"range must be a lower and a higher number, got [{low}, {high}]")
        return self

"""What would become of an upload: what was understood, what it covers, how it would talk."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from conlinucb.service.schemas.base import shown
from conlinucb.service.settings import AskAbout

Layout = Literal["long", "wide", "columns", "vectors", "items"]


class ColumnOut(BaseModel):
    """A column of an uploaded table, and what it was taken for."""

    model_config = shown(name="Recipe", used_as="item")

    name: str
    used_as: str | None = Field(
        description="item, topic, vector, weight, title, subtitle, image, link, text or year; "
        "null where the column is not used."
    )


class Understood(BaseModel):
    """How an uploaded table was read. What was guessed is said, so that nothing is silent."""

    model_config = shown(
        separator=";",
        layout="wide",
        split="|",
        rows=60,
        columns=[{"name": "Recipe", "used_as": "item"}, {"name": "Tags", "used_as": "topic"}],
        words=["Columns are separated by semicolons."],
        warnings=["Numbers in 'Minutes' are not used: topics are what is talked about."],
    )

    separator: str | None = Field(description="Between columns; null where it is no text file.")
    layout: Layout = Field(
        description="long: a row for each topic of an item; wide: a row for each item, its topics "
        "in one cell or several; columns: a column of 0 and 1 for each topic; vectors: no topics, "
        "but numbers that say where an item lies; items: JSON."
    )
    split: str | None = Field(description="Between several topics in one cell.")
    rows: int
    columns: list[ColumnOut]
    words: list[str] = Field(description="The same in plain words.")
    warnings: list[str] = Field(description="What was left out, or may be meant otherwise.")


class TopicCount(BaseModel):
    """A topic, and how many items have it."""

    topic: str
    items: int


class Coverage(BaseModel):
    """What is known of items through their topics."""

    without_topics: int = Field(description="Items left out, since nothing is known of them.")
    without: list[str] = Field(description="The first of them.")
    topics_an_item: float = Field(description="Topics of an item, on average.")
    topics: list[TopicCount] = Field(description="The most widespread ones, at most 100.")
    alone: int = Field(description="Topics that one item alone has.")
    alone_topics: list[str] = Field(description="The first of them.")


class FirstQuestion(BaseModel):
    """A question that a newcomer would be asked, and why."""

    topic: str
    text: str
    items: int
    why: str


class ShownItem(BaseModel):
    """An item that an example person was shown."""

    item: str
    title: str
    topics: list[str]
    fits: bool = Field(description="Whether it has a topic that this person likes.")


class ExampleStep(BaseModel):
    """One round: what was asked and answered, and what was shown then."""

    asked: str | None
    about: list[str] = Field(description="The topics that were asked about, or the item.")
    answer: str | None = Field(description="yes or no; of a pair or a group what was picked of it.")
    shown: list[ShownItem]


class ExamplePerson(BaseModel):
    """Someone made up who likes two topics, and talks to the catalogue."""

    name: str
    likes: list[str]
    says: str = Field(description="The topic they begin with, unasked.")
    steps: list[ExampleStep]
    fitting: int = Field(description="Items shown that have a topic they like.")
    shown: int
    chance: float = Field(description="The share of all items that has one.")


class PreviewOut(BaseModel):
    """What an upload would become. Nothing of it is stored."""

    model_config = shown(
        understood=Understood.model_config["json_schema_extra"]["examples"][0],  # type: ignore[index]
        items=60,
        topics=14,
        coverage={
            "without_topics": 0,
            "without": [],
            "topics_an_item": 3.1,
            "topics": [{"topic": "vegetarian", "items": 31}],
            "alone": 0,
            "alone_topics": [],
        },
        warnings=[],
        ask_about="one",
        questions=[
            {
                "topic": "vegetarian",
                "text": "Do you like vegetarian?",
                "items": 31,
                "why": "31 of 60 items have it.",
            }
        ],
        people=[],
        without_people="",
    )

    understood: Understood
    items: int
    topics: int
    coverage: Coverage
    warnings: list[str] = Field(description="What to look at before it is put into service.")
    ask_about: AskAbout = Field(
        description="What questions are like, as in the settings: what a new catalogue begins with "
        "where nothing else is said."
    )
    questions: list[FirstQuestion] = Field(description="The first to a newcomer, at most five.")
    people: list[ExamplePerson] = Field(description="Three people made up, talking to it.")
    without_people: str = Field(description="Why there are no example people; mostly empty.")

"""What a person says: answers, rewards, and that they take one back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

from conlinucb.client.replies import Question, Recommendation


def new_event() -> str:
    """An id that nobody else has."""
    return uuid4().hex


@dataclass(frozen=True)
class Answer:
    """To the open question, or about a topic that nobody asked about."""

    answer: str | float | Sequence[str]
    """yes, no, skip, or a number in the catalogue's range; to a pair first, second, both, neither;
    to a group a list of what was picked, [] for none of these."""
    question: str | Question | None = None
    topic: str | None = None
    event: str | None = None

    def body(self) -> dict[str, Any]:
        """As it is sent, under an id that makes it count once."""
        question = self.question
        asked = question.question if isinstance(question, Question) else question
        alone = isinstance(self.answer, str | float | int)
        said = {"answer": self.answer} if alone else {"picked": [*self.answer]}  # type: ignore[misc]
        given = {"question": asked, "topic": self.topic, **said}
        return present(given, event=self.event or new_event())


@dataclass(frozen=True)
class Reward:
    """How an item was liked; without a decision, any item of the catalogue."""

    item: str
    reward: float
    decision: str | Recommendation | None = None
    event: str | None = None

    def body(self) -> dict[str, Any]:
        """As it is sent, under an id that makes it count once."""
        decision = self.decision
        made = decision.decision if isinstance(decision, Recommendation) else decision
        given = {"item": self.item, "reward": self.reward, "decision": made}
        return present(given, event=self.event or new_event())


@dataclass(frozen=True)
class TakeBack:
    """An answer or a reward is taken back; twice is once."""

    event: int

    def body(self) -> dict[str, Any]:
        """As it is sent."""
        return {"event": self.event}


@dataclass(frozen=True)
class Next:
    """What may be shown and asked next; what is left out is as the service does by default."""

    pool: Sequence[str] | None = None
    exclude: Sequence[str] | None = None
    offered: Sequence[str] | None = None
    k: int | None = None
    ask: str | None = None
    fresh: bool | None = None
    like: str | None = None
    event: str | None = None

    def body(self) -> dict[str, Any]:
        """As it is sent, under an id: what it decides is decided once."""
        lists = {name: list(v) for name in ("pool", "exclude", "offered")
                 if (v := getattr(self, name)) is not None}  # fmt: skip
        return present(asdict(self) | lists, event=self.event or new_event())


Said = Answer | Reward | TakeBack
_NAMES = {Answer: "answer", Reward: "reward", TakeBack: "take_back"}


def said_body(said: Said) -> dict[str, Any]:
    """As one of several in a step."""
    return {_NAMES[type(said)]: said.body()}


def present(given: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What was said, without what was not."""
    return {name: value for name, value in (given | more).items() if value is not None}

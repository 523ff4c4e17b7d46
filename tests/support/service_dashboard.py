"""Logs drawn at random, and what a dashboard must say of them: counted directly, name by name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from statistics import fmean
from typing import Any

import httpx2 as httpx
import numpy as np

from conlinucb.service.storage import (
    AnswerBody,
    Body,
    Broken,
    Event,
    QuestionBody,
    RecommendationBody,
    RecommendedItem,
    RetractionBody,
    RewardBody,
)

MINUTE = 60_000_000
DAY = 24 * 60 * MINUTE
NOW = 20_000 * DAY + 15 * 60 * MINUTE
TOPICS = [f"topic {k}" for k in range(9)]
ITEMS = [f"item {k}" for k in range(25)]
Log = list[Event | Broken]


class Writer:
    """Writes one person's log."""

    def __init__(self, draw: np.random.Generator, at: int) -> None:
        self.draw, self.at, self.rows = draw, at, Log()

    def write(self, body: Body) -> int:
        pause = 40 * MINUTE if self.draw.uniform() < 0.05 else int(self.draw.integers(1, MINUTE))
        self.at += pause
        self.rows.append(Event(len(self.rows) + 1, body, at=self.at))
        return len(self.rows)

    def ask(self, number: int) -> None:
        topic = str(self.draw.choice(TOPICS))
        about: dict[str, Any] = {"about": "term", "id": topic}
        mean, radius = (float(each) for each in self.draw.uniform(0, 1, 2))
        asked = self.write(
            QuestionBody(
                **about,
                number=number,
                round=number,
                text="?",
                strategy="ucb",
                mean=mean,
                radius=radius,
            )
        )
        said = self.draw.choice([0.0, 1.0, 0.5, -1.0, 0.8, 9.0])
        if said < 9.0:
            value = None if said < 0 else float(said)
            self.write(AnswerBody(question=asked, **about, answer=value))

    def show(self, round_: int) -> None:
        names = self.draw.choice(ITEMS, 3, replace=False).tolist()
        items = [
            RecommendedItem(item=each, score=0.0, mean=0.0, radius=1.0, exploring=False)
            for each in names
        ]
        marks: dict[str, Any] = {}
        if self.draw.uniform() < 0.2:
            marks |= {"random": True, "propensity": 3 / 25}
        if population := int(self.draw.integers(0, 3)):
            marks |= {"population": population}
        shown = self.write(RecommendationBody(round=round_, items=items, **marks))
        for each in names[: int(self.draw.integers(0, 4))]:
            liking = 0.35 + 0.02 * round_ + 0.2 * (ITEMS.index(each) < 5)
            reward = float(self.draw.uniform() < liking)
            rated = self.write(RewardBody(decision=shown, item=each, reward=reward))
            if self.draw.uniform() < 0.1:
                self.write(RetractionBody(of=rated))


def drawn_logs(people: int, seed: int = 0) -> list[Log]:
    """So many people, who came in the last 40 days; some of their events are damaged."""
    draw, logs = np.random.default_rng(seed), []
    for _ in range(people):
        writer = Writer(draw, int(NOW - draw.integers(0, 40 * DAY)))
        if draw.uniform() < 0.3:
            writer.write(RewardBody(item=ITEMS[int(draw.integers(25))], reward=1.0))
            writer.write(AnswerBody(about="term", id=str(draw.choice(TOPICS)), answer=1.0))
        for round_ in range(1, int(draw.integers(2, 26))):
            if draw.uniform() < 0.5:
                writer.ask(round_)
            writer.show(round_)
        rows = [row for row in writer.rows if isinstance(row, Event) and row.at <= NOW]
        logs.append([Broken(r.seq, "?") if draw.uniform() < 0.02 else r for r in rows])
    return [log for log in logs if log]


# Counted directly


def standing(log: Log) -> list[Event]:
    events = [row for row in log if isinstance(row, Event)]
    gone = {each.body.of for each in events if isinstance(each.body, RetractionBody)}
    return [each for each in events if each.seq not in gone]


def ratings(logs: Iterable[Log], since: int) -> list[dict[str, Any]]:
    """Every reward of a recommendation that counts, as a record."""
    found = []
    for person, log in enumerate(logs):
        events = {each.seq: each for each in standing(log)}
        for event in events.values():
            body = event.body
            if isinstance(body, RewardBody) and event.at >= since and body.decision in events:
                decision = events[body.decision].body
                assert isinstance(decision, RecommendationBody)
                found.append(
                    {
                        "person": person,
                        "item": body.item,
                        "liked": body.reward > 0.5,
                        "round": decision.round,
                        "random": decision.random,
                        "population": decision.population or 0,
                        "decision": body.decision,
                    }
                )
    return found


def likes(logs: Iterable[Log], since: int) -> list[set[str]]:
    """The items that each person liked."""
    return [
        {
            each.body.item
            for each in standing(log)
            if isinstance(each.body, RewardBody) and each.at >= since and each.body.reward > 0.5
        }
        for log in logs
    ]


def top_ten_of_others(liked: list[set[str]], person: int, order: list[str]) -> set[str]:
    """Counted anew without this person; the first in order where they tie."""
    counts = Counter(item for other, items in enumerate(liked) if other != person for item in items)
    return set(sorted(counts, key=lambda item: (-counts[item], order.index(item)))[:10])


def answered_at(log: Log) -> dict[str, int | None]:
    """Each topic that a person met, and when they first said what they think of it."""
    found: dict[str, int | None] = {}
    for event in standing(log):
        if isinstance(event.body, QuestionBody | AnswerBody):
            topic = event.body.names[0]
            said = isinstance(event.body, AnswerBody) and event.body.answer is not None
            if found.get(topic) is None:
                found[topic] = event.seq if said else None
    return found


def clustered_mean(records: list[tuple[int, float]]) -> tuple[float, float, int]:
    """Mean over records, its variance by whole people left out or in, and how many people."""
    by_person: dict[int, list[float]] = defaultdict(list)
    for person, value in records:
        by_person[person].append(value)
    mean = fmean(value for _, value in records)
    apart = [sum(value - mean for value in values) for values in by_person.values()]
    groups = len(apart)
    spread = sum(each**2 for each in apart) * groups / (groups - 1)
    return mean, spread / len(records) ** 2, groups


# A service that people talked to


def talk_to(client: httpx.Client, people: int, rounds: int, *, first: int = 0) -> None:
    """So many people with three liked topics each, over HTTP; every fourth one is never asked."""
    for number in range(first, first + people):
        draw = np.random.default_rng(number)
        path, liked = f"/v1/users/visitor-{number}", set[str]()
        for round_ in range(rounds):
            ask = "never" if number % 4 == 0 else "due"
            came = client.post(f"{path}/next", json={"ask": ask, "k": 3}).json()
            while came["type"] == "question":
                chance = draw.uniform()
                said = "skip" if chance < 0.2 else "yes" if chance < 0.5 else "no"
                if said == "yes":
                    liked.add(came["term"])
                answer = {"question": came["question"], "answer": said}
                client.post(f"{path}/answers", json=answer).raise_for_status()
                came = client.post(f"{path}/next", json={"k": 3}).json()
            for each in came["items"]:
                fits = 0.3 + 0.35 * bool(liked & set(each["terms"])) + 0.01 * round_
                reward = {"decision": came["decision"], "item": each["item"]}
                reward |= {"reward": float(draw.uniform() < fits)}
                client.post(f"{path}/rewards", json=reward).raise_for_status()


def learn_population(client: httpx.Client) -> None:
    """From whoever has talked so far, and people start from it."""
    settings = client.get("/v1/catalogues/films/settings").json() | {"population_least": 5}
    client.put("/v1/catalogues/films/settings", json=settings).raise_for_status()
    fitted = client.post("/v1/catalogues/films/populations", json={"use": True}, timeout=120)
    fitted.raise_for_status()

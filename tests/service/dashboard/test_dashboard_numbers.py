"""What the dashboard says, against the same counted directly from the logs."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from conlinucb.service.dashboard.populations import populations_of
from conlinucb.service.dashboard.questions import questions_of
from conlinucb.service.dashboard.rounds import LEAST_RANDOM, rounds_of
from conlinucb.service.dashboard.shares import LEAST_PEOPLE, Sums, share, sums_by_person
from conlinucb.service.dashboard.tally import Tally
from conlinucb.service.dashboard.window import HOUR, Window
from conlinucb.service.schemas.dashboard import QuestionStatOut, ShareOut
from conlinucb.service.storage import (
    AnswerBody,
    Broken,
    Event,
    QuestionBody,
    RecommendationBody,
    StoredPopulation,
)
from support.service_dashboard import (
    DAY,
    NOW,
    Log,
    answered_at,
    clustered_mean,
    drawn_logs,
    likes,
    ratings,
    standing,
    top_ten_of_others,
)

WINDOW = Window.of(30, NOW)
LOGS = drawn_logs(70)


def tallied(logs: list[Log], window: Window = WINDOW) -> Tally:
    tally = Tally(window, (0.0, 1.0))
    for log in logs:
        tally.take(log)
    return tally


TALLY = tallied(LOGS)
RATED = ratings(LOGS, WINDOW.start)


def assert_is(found: ShareOut, records: list[tuple[int, float]]) -> None:
    """A share of these records, or withheld; its interval as wide as people differ."""
    people = {person for person, _ in records}
    if len(people) < LEAST_PEOPLE:
        assert found.model_dump() == dict.fromkeys(found.model_dump())
        return
    mean, variance, _ = clustered_mean(records)
    assert found.share == pytest.approx(mean)
    assert (found.count, found.people) == (len(records), len(people))
    assert found.low is not None
    assert found.high is not None
    n = min(len(records), mean * (1 - mean) / variance) if variance else len(people)
    for edge in (found.low, found.high):  # where it is as far away as the edge itself allows
        assert abs(edge - mean) == pytest.approx(1.959964 * math.sqrt(edge * (1 - edge) / n))


def test_the_logs_have_everything_in_them() -> None:
    assert len(RATED) > 500
    assert any(each.at < WINDOW.start for log in LOGS for each in standing(log))
    assert sum(isinstance(row, Broken) for log in LOGS for row in log) > 10
    assert TALLY.damaged == sum(isinstance(row, Broken) for log in LOGS for row in log)


def test_like_share_by_round() -> None:
    found = rounds_of(TALLY)
    assert [each.round for each in found.rounds] == [
        r
        for r in range(1, 21)
        if len({each["person"] for each in RATED if each["round"] == r}) >= LEAST_PEOPLE
    ]
    for each in found.rounds:
        mine = [(r["person"], float(r["liked"])) for r in RATED if r["round"] == each.round]
        assert_is(each.liked, mine)
    assert_is(found.liked, [(r["person"], float(r["liked"])) for r in RATED if r["round"] <= 20])


def test_what_was_shown_to_anybody() -> None:
    for logs in (LOGS, LOGS[:1]):
        shown = [
            {
                item.item
                for each in standing(log)
                if isinstance(each.body, RecommendationBody) and each.at >= WINDOW.start
                for item in each.body.items
            }
            for log in logs
        ]
        tally = tallied(logs)
        assert tally.shown == set().union(*shown)
        assert tally.shown_to == sum(map(bool, shown))


def test_most_popular_is_of_others() -> None:
    liked, found = likes(LOGS, WINDOW.start), rounds_of(TALLY)
    order = list(TALLY.items)
    popular = [r for r in RATED if r["item"] in top_ten_of_others(liked, r["person"], order)]
    assert 0 < len(popular) < len(RATED)
    for each in found.rounds:
        mine = [(r["person"], float(r["liked"])) for r in popular if r["round"] == each.round]
        assert_is(each.popular, mine)
    assert_is(
        found.popular, [(r["person"], float(r["liked"])) for r in popular if r["round"] <= 20]
    )


def test_chance_is_of_random_recommendations() -> None:
    drawn = [(r["person"], float(r["liked"])) for r in RATED if r["random"]]
    assert len(drawn) >= LEAST_RANDOM
    chance = rounds_of(TALLY).chance
    assert chance is not None
    assert chance.by == "random"
    assert_is(ShareOut(**chance.model_dump(exclude={"by", "items"})), drawn)


def test_chance_is_of_items_where_few_were_random() -> None:
    tally = tallied(LOGS)
    tally.ratings.random = [False] * len(RATED)
    chance = rounds_of(tally).chance
    assert chance is not None
    assert chance.by == "items"
    shares = []
    for item in {each["item"] for each in RATED}:
        mine = [each["liked"] for each in RATED if each["item"] == item]
        shares.append(sum(mine) / len(mine))
    half = 1.959964 * np.std(shares, ddof=1) / math.sqrt(len(shares))
    assert chance.items == len(shares)
    assert [chance.share, chance.low, chance.high] == pytest.approx(
        [np.mean(shares), np.mean(shares) - half, np.mean(shares) + half]
    )


def test_the_first_rounds_by_population() -> None:
    stored = [StoredPopulation(number, 1, 60, "", "{}", NOW - DAY) for number in (1, 2, 3)]
    found = populations_of(TALLY, stored, 2)
    assert [each.number for each in found] == [0, 1, 2, 3]
    assert [each.in_use for each in found] == [False, False, True, False]
    assert [each.learned_from for each in found] == [None, 60, 60, 60]
    for each in found:
        mine = [r for r in RATED if r["population"] == each.number and r["round"] <= 5]
        assert_is(each.liked, [(r["person"], float(r["liked"])) for r in mine])


def asked_about(topic: str) -> list[tuple[int, QuestionBody, AnswerBody | None]]:
    found = []
    for person, log in enumerate(LOGS):
        events = standing(log)
        for event in events:
            body = event.body
            if isinstance(body, QuestionBody) and body.id == topic and event.at >= WINDOW.start:
                said = [e.body for e in events if isinstance(e.body, AnswerBody)]
                mine = [each for each in said if each.question == event.seq]
                found.append((person, body, mine[0] if mine else None))
    return found


def test_what_people_say_to_each_question() -> None:
    found = questions_of(TALLY)
    assert len(found.questions) == 9
    counts = [each.asked for each in found.questions]
    assert counts == sorted(counts, reverse=True)
    for each in found.questions:
        asked = asked_about(each.names[0])
        closed = [(person, said.answer) for person, _, said in asked if said is not None]
        assert each.asked == len(asked)
        assert each.people == len({person for person, *_ in asked})
        assert each.unanswered == len(asked) - len(closed)
        assert each.between == sum(said == 0.5 for _, said in closed)
        assert_is(each.yes, [(p, float(said is not None and said > 0.5)) for p, said in closed])
        assert_is(each.no, [(p, float(said is not None and said < 0.5)) for p, said in closed])
        assert_is(each.skip, [(p, float(said is None)) for p, said in closed])
        radii = [body.radius for _, body, _ in asked]
        away = [
            abs(said.answer - body.mean)
            for _, body, said in asked
            if said is not None and said.answer is not None
        ]
        assert each.uncertainty == pytest.approx(np.mean(radii))
        assert each.surprise == pytest.approx(np.mean(away))


def test_likes_after_an_answer_against_those_who_never_met_the_question() -> None:
    by_round = Counter(min(each["round"], 21) for each in RATED)
    liked = Counter(min(each["round"], 21) for each in RATED if each["liked"])
    met = [answered_at(log) for log in LOGS]

    def records(rows: list[dict[str, Any]], *, residual: bool) -> list[tuple[int, float]]:
        return [
            (
                each["person"],
                each["liked"]
                - residual * liked[min(each["round"], 21)] / by_round[min(each["round"], 21)],
            )
            for each in rows
        ]

    for each in questions_of(TALLY).questions:
        topic = each.names[0]
        after = [r for r in RATED if (met[r["person"]].get(topic) or 10**9) < r["decision"]]
        without = [r for r in RATED if topic not in met[r["person"]]]
        assert_is(each.after, records(after, residual=False))
        assert_is(each.without, records(without, residual=False))
        one, spread_one, people = clustered_mean(records(after, residual=True))
        other, spread_other, others = clustered_mean(records(without, residual=True))
        assert each.difference is not None
        half = 1.959964 * math.sqrt(spread_one + spread_other)
        assert [*each.difference.model_dump().values()] == pytest.approx(
            [one - other, one - other - half, one - other + half, people, others]
        )


@pytest.mark.parametrize("days", [1, 7, 30])
def test_people_conversations_and_steps_over_time(days: int) -> None:
    window = Window.of(days, NOW)
    width = HOUR if days == 1 else DAY
    found = tallied(LOGS, window).activity
    assert len(found) == (24 if days == 1 else days)
    last = NOW // width
    for number, part in enumerate(found):
        wanted = last - len(found) + 1 + number
        people = newcomers = conversations = questions = recommendations = 0
        for log in LOGS:
            events = [row for row in log if isinstance(row, Event)]
            here = [k for k, event in enumerate(events) if event.at // width == wanted]
            people += bool(here)
            newcomers += 0 in here
            conversations += sum(
                k == 0 or events[k].at - events[k - 1].at > 30 * 60_000_000 for k in here
            )
            questions += sum(events[k].kind == "question" for k in here)
            recommendations += sum(events[k].kind == "recommendation" for k in here)
        assert [*vars(part).values()] == [
            *(people, newcomers, conversations, questions, recommendations)
        ]


def test_the_order_of_people_makes_no_difference() -> None:
    one, other = (questions_of(tallied(logs)) for logs in (LOGS, LOGS[::-1]))

    def by_name(stats: list[QuestionStatOut]) -> dict[str, Any]:
        return {each.names[0]: each.model_dump() for each in stats}

    for name, stat in by_name(one.questions).items():
        for field, value in by_name(other.questions)[name].items():
            assert stat[field] == (pytest.approx(value) if field != "names" else value)


def test_small_groups_are_withheld() -> None:
    few = tallied(LOGS[: LEAST_PEOPLE - 1])
    questions, rounds = questions_of(few), rounds_of(few)
    assert questions.questions == []
    assert questions.withheld > 0
    assert (rounds.rounds, rounds.chance) == ([], None)
    for each in (rounds.liked, rounds.popular, populations_of(few, [], 0)[0].liked):
        assert each.model_dump() == dict.fromkeys(each.model_dump())


def test_nothing_at_all() -> None:
    nobody = tallied([])
    assert questions_of(nobody).questions == []
    assert rounds_of(nobody).rounds == []
    assert [each.number for each in populations_of(nobody, [], 0)] == [0]


def test_an_interval_where_all_agree_is_as_wide_as_their_number_allows() -> None:
    everyone = np.arange(10).repeat(3)
    found = share(sums_by_person(everyone, np.ones(30)))
    assert (found.share, found.high) == pytest.approx((1.0, 1.0))
    assert found.low == pytest.approx(10 / (10 + 1.959964**2))


def test_people_who_rate_much_do_not_make_it_narrower() -> None:
    """Twice the same from everyone says nothing more."""
    draw = np.random.default_rng(1)
    liked = (draw.uniform(size=40) < 0.5).astype(float)
    once = share(Sums.of(liked, np.ones(40)))
    twice = share(Sums.of(2 * liked, 2 * np.ones(40)))
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high), abs=0.01)
    assert twice.count == 80

"""The demo catalogue: two hand-written tables, films and the topics asked about."""

import re
from importlib.resources import files

import numpy as np
import pytest

KINDS = {"genre", "mood", "theme", "place", "era"}


def read_lines(name: str) -> list[str]:
    text = files("conlinucb.datasets").joinpath(name).read_bytes().decode("utf-8")
    assert text.endswith("\n")
    assert "\r" not in text
    return text[:-1].split("\n")


def read_rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in read_lines(name)[1:]]


FILMS = read_rows("demo_films.tsv")
TOPICS = read_rows("demo_topics.tsv")
NAMES = [row[0] for row in TOPICS]


def films_by_topic() -> dict[str, frozenset[str]]:
    return {name: frozenset(row[0] for row in FILMS if name in row[2].split("|")) for name in NAMES}


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("demo_films.tsv", "title\tyear\ttopics"),
        ("demo_topics.tsv", "topic\tkind\tquestion"),
    ],
)
def test_every_line_has_three_clean_fields(name: str, header: str) -> None:
    lines = read_lines(name)
    assert lines[0] == header
    for line in lines:
        assert line.count("\t") == 2, line
        for field in line.split("\t"):
            assert field, line
            assert field == field.strip(), line
            assert "  " not in field, line
            assert field.isprintable(), line


def test_counts() -> None:
    assert len(FILMS) >= 250
    assert 40 <= len(TOPICS) <= 60


def test_titles_are_unique() -> None:
    titles = [row[0].casefold() for row in FILMS]
    assert len(set(titles)) == len(titles)


def test_years_are_years_of_film() -> None:
    for title, year, _ in FILMS:
        assert re.fullmatch(r"[0-9]{4}", year), title
        assert 1895 <= int(year) <= 2026, title


def test_every_decade_from_the_1920s_has_films() -> None:
    decades = {int(row[1]) // 10 * 10 for row in FILMS}
    assert decades >= set(range(1920, 2030, 10))


def test_each_film_has_four_to_nine_distinct_known_topics() -> None:
    known = set(NAMES)
    for title, _, field in FILMS:
        topics = field.split("|")
        assert 4 <= len(topics) <= 9, title
        assert len(set(topics)) == len(topics), title
        assert set(topics) <= known, title


@pytest.mark.parametrize(
    ("topic", "first", "last"),
    [
        ("made before 1950", 1895, 1949),
        ("from the 1950s and 60s", 1950, 1969),
        ("from the 1970s and 80s", 1970, 1989),
        ("from the 1990s and 2000s", 1990, 2009),
        ("made since 2010", 2010, 2026),
    ],
)
def test_topics_of_release_years_agree_with_the_year(topic: str, first: int, last: int) -> None:
    for title, year, field in FILMS:
        assert (topic in field.split("|")) == (first <= int(year) <= last), title


def test_topic_names_are_unique_lowercase_and_short() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for name in NAMES:
        assert name == name.lower()
        assert len(name) <= 32
        assert "|" not in name


def test_kinds() -> None:
    kinds = [row[1] for row in TOPICS]
    assert set(kinds) == KINDS
    for kind in KINDS:
        assert kinds.count(kind) >= 5, kind


def test_questions_are_questions() -> None:
    questions = [row[2] for row in TOPICS]
    assert len(set(questions)) == len(questions)
    for question in questions:
        assert question.endswith("?")
        assert question.count("?") == 1
        assert question[0].isupper()
        assert len(re.findall(r"[^\W\d_]+", question)) >= 4, question
        for number in re.findall(r"\b[0-9]+\b", question):
            assert 1895 <= int(number) <= 2026, question


def test_every_topic_has_six_to_110_films() -> None:
    for name, films in films_by_topic().items():
        assert 6 <= len(films) <= 110, name


def test_no_two_topics_have_the_same_films() -> None:
    sets = list(films_by_topic().values())
    assert len(set(sets)) == len(sets)


def test_film_by_topic_matrix_has_full_column_rank() -> None:
    matrix = np.array([[name in row[2].split("|") for name in NAMES] for row in FILMS], dtype=float)
    assert matrix.shape == (len(FILMS), len(TOPICS))
    assert int(np.linalg.matrix_rank(matrix)) == len(TOPICS)

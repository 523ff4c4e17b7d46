"""``conlinucb population fit|show|use`` on a service's database, while it serves."""

from __future__ import annotations

import pytest

from conlinucb.service.problems import Problem
from support.service_commands import Done, run
from support.service_crowd import LEAST, crowd, speak
from support.service_world import client_of
from support.soak import wait_for

pytestmark = pytest.mark.more  # commands as processes, beside a service


def population(url: str, *words: str) -> Done:
    return run(["population", *words], url)


def test_fit_show_use_and_back(lasting_url: str) -> None:
    with client_of(lasting_url) as client:
        talk = crowd(client)
        assert population(lasting_url, "show", "it").lines == ["it has no population"]
        done = population(lasting_url, "fit", "it")
        assert (done.code, done.error) == (0, None)
        assert done.lines[0].startswith("1  10  usable  ")
        assert talk.state().version.population is None
        done = population(lasting_url, "use", "it", "latest")
        assert done.lines == ["it uses population 1"]
        wait_for(lambda: talk.state().version.population_number == 1, "the worker follows")
        speak(client, "it", "one more", 50)
        done = population(lasting_url, "fit", "it", "--use")
        assert done.lines[0].startswith("2  11  in use  ")
        lines = population(lasting_url, "show", "it").lines
        assert [line.split("  ")[:3] for line in lines] == [
            ["1", "10", "usable"],
            ["2", "11", "in use"],
        ]
        assert population(lasting_url, "use", "it", "0").lines == ["it uses no population"]
        wait_for(lambda: talk.state().version.population is None, "the worker follows")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("fit", "it"), f"{LEAST - 1} people"),
        (("use", "it", "3"), "no population 3"),
        (("use", "it", "newest"), "'newest'"),
        (("use", "it", "latest"), "'latest'"),
        (("show", "its"), "Did you mean 'it'"),
    ],
)
def test_refusals(lasting_url: str, words: tuple[str, ...], says: str) -> None:
    with client_of(lasting_url) as client:
        crowd(client, people=LEAST - 1)
    done = population(lasting_url, *words)
    assert done.code == 1
    assert says in str(done.error)


def test_one_at_a_time(lasting_url: str) -> None:
    with client_of(lasting_url) as client:
        talk = crowd(client)
        populations = talk.use_cases.storage.populations
        assert populations.lease(talk.person.catalogue)
        done = population(lasting_url, "fit", "it")
        assert isinstance(done.error, Problem)
        assert done.error.code == "population_fitting"
        populations.release(talk.person.catalogue)
        assert population(lasting_url, "fit", "it").code == 0

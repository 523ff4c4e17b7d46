"""What exists has a page: names, strategies, recipes, people, schedules, experiments, metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from docs.generate import api, command_line, http, metrics

import conlinucb as cl
from conlinucb.agent.select import SELECTS
from conlinucb.agent.spec import RECIPES, SCHEDULES
from conlinucb.cli.main import app
from conlinucb.experiments import ITEMS
from conlinucb.people import People
from conlinucb.service.config import ServiceConfig
from conlinucb.service.http.metrics import ALL, full_name
from conlinucb.service.http.scopes import table
from conlinucb.simulation.loop.inputs import METRICS

DOCS = Path(__file__).parents[2] / "docs"


def text_of(pattern: str) -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(DOCS.glob(pattern)))


ALGORITHMS, TOP = text_of("algorithms/*.md"), text_of("*.md")


def test_every_public_name_is_in_the_reference() -> None:
    listed = api.pages()
    for name in set(cl.__all__) - api.OWN_PAGES:
        assert any(f"conlinucb.{name}\n" in page for page in listed.values()), name


def test_a_public_name_without_a_page_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cl, "__all__", [*cl.__all__, "forgotten"])
    with pytest.raises(LookupError, match="forgotten"):
        api.pages()


@pytest.mark.parametrize("name", [*cl.STRATEGIES])
def test_every_strategy_is_told_of_among_the_algorithms(name: str) -> None:
    assert f"`{name}`" in ALGORITHMS or f'"{name}"' in ALGORITHMS


@pytest.mark.parametrize("name", sorted({*RECIPES} & {*cl.__all__}))
def test_every_recipe_is_told_of_among_the_algorithms(name: str) -> None:
    assert f"cl.{name}(" in ALGORITHMS


@pytest.mark.parametrize("name", [*SELECTS])
def test_every_way_to_select_is_told_of(name: str) -> None:
    shown = {"epsilon-greedy": "cl.EpsilonGreedy("}
    assert shown.get(name, f'"{name}"') in ALGORITHMS


@pytest.mark.parametrize("name", sorted({each.__name__ for each in SCHEDULES.values()}))
def test_every_schedule_is_told_of(name: str) -> None:
    assert f"cl.{name}(" in TOP + ALGORITHMS


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in cl.__all__
        if isinstance(getattr(cl, name), type)
        and issubclass(getattr(cl, name), People)
        and getattr(cl, name) is not People
    ],
)
def test_all_people_are_told_of(name: str) -> None:
    assert f"{name}(" in TOP + text_of("data/*.md") + ALGORITHMS


@pytest.mark.parametrize("name", [*ITEMS])
def test_every_experiment_is_told_of(name: str) -> None:
    assert f"`{name}`" in TOP + ALGORITHMS


@pytest.mark.parametrize("name", METRICS)
def test_every_logged_metric_is_told_of(name: str) -> None:
    assert name in (DOCS / "simulate.md").read_text("utf-8")


def test_every_command_is_in_the_reference() -> None:
    page = command_line.page()
    names = [each.name or each.callback.__name__ for each in app.registered_commands]  # type: ignore[union-attr]
    groups = [str(each.name) for each in app.registered_groups]
    for name in (*names, *groups):
        assert f"`conlinucb {name}`" in page


def options_of(command: Any, name: str) -> Iterator[tuple[str, str]]:
    """Each option of a command and of those below it."""
    for each in command.params:
        if not getattr(each, "hidden", False):
            yield from ((name, option) for option in each.opts if option.startswith("-"))
    for below, inner in getattr(command, "commands", {}).items():
        yield from options_of(inner, f"{name} {below}")


def test_every_option_is_in_the_reference() -> None:
    headings = re.split(r"^#+ `(.*)`$", command_line.page(), flags=re.MULTILINE)
    texts = dict(zip(headings[1::2], headings[2::2], strict=True))
    listed = [*options_of(typer.main.get_command(app), "conlinucb")]
    assert len(listed) > 100
    assert [(name, option) for name, option in listed if option not in texts[name]] == []


@pytest.mark.parametrize("name", [*ServiceConfig.model_fields])
def test_every_setting_has_its_row(name: str) -> None:
    assert f"| `{name}` |" in (DOCS / "settings.md").read_text("utf-8")


def test_every_route_and_its_key_are_in_the_reference() -> None:
    page = http.page()
    for route, need in table().items():
        methods, _, path = route.rpartition(" ")
        for method in methods.split(", "):
            heading = f"## {method} {path}\n"
            if path.startswith("/v1/") and path != "/v1/openapi.json":
                assert heading in page, route
                assert f"Key: *{need}*" in page.split(heading)[1].split("\n## ")[0]


@pytest.mark.parametrize("name", [*ALL])
def test_every_metric_of_the_service_is_in_the_reference(name: str) -> None:
    assert f"`{full_name(name)}`" in metrics.page()

"""The report against the outcomes it was made from, number by number."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, get_args

import pytest

from conlinucb import report
from conlinucb.errors import InvalidInput, MissingExtra
from conlinucb.experiments import ITEMS
from conlinucb.experiments.claims import RECORDS, records
from conlinucb.experiments.findings import findings
from conlinucb.experiments.item import Item, Kind
from conlinucb.experiments.outcome import Outcome
from conlinucb.experiments.protocols import PROTOCOLS
from conlinucb.experiments.run import outcomes, run_setting
from conlinucb.experiments.setting import Size, settings_of
from conlinucb.experiments.slug import slug
from conlinucb.progress import Progress
from conlinucb.report import page
from conlinucb.report.figures import write_figures
from conlinucb.report.groups import grouped
from conlinucb.report.kinds import KINDS
from conlinucb.report.material import Material
from conlinucb.report.sections import sections
from conlinucb.report.style import looks

pytestmark = pytest.mark.more  # every item, run and drawn: most of a minute of a processor

TINY = Size(runs=1, users=3, rounds=20, trials=2, tuning_users=2, quick=True)
COMMAND = "conlinucb reproduce 1a --users 3"


def few(name: str, points: int = 2) -> Item:
    """An item on synthetic data with its first points only."""
    return replace(ITEMS[name], data="synthetic", points=ITEMS[name].points[:points])


def play(out: Path, item: Item, protocol: str, size: Size = TINY) -> None:
    for setting in settings_of(item, PROTOCOLS[protocol], size, seed=0)[: 2 * len(item.points)]:
        run_setting(setting, out, Progress(1, shown=False), command=COMMAND)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outcomes")
    for name in ("1a", "1b", "1c", "table1", "theory", "crossed"):
        play(folder, few(name), "authors")
    play(folder, few("1a"), "fair")
    own = json.loads((folder / "authors/1a/base.json").read_text())
    own |= {"item": "mine", "protocol": "own", "title": "Mine <&> only", "baseline": "BS"}
    own["agents"]["my agent"] = own["agents"].pop("ConUCB")
    for agent in own["agents"].values():
        versus = agent["versus"]
        agent["versus"] = {k if k != "ConUCB" else "my agent": v for k, v in versus.items()}
        agent["improvement"] = agent["versus"].get("BS")
    path = folder / "own/mine/base.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(own))
    report.write(folder)
    return folder


class Reader(HTMLParser):
    """Every tag with its attributes, and all text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.numbers: list[tuple[dict[str, str | None], str]] = []
        self._open: dict[str, str | None] | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open = dict(attrs) if "data-value" in dict(attrs) else None

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self._open is not None:
            self.numbers.append((self._open, data.replace("\u00a0", " ")))
            self._open = None

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def html(out: Path) -> Reader:
    return Reader((out / "report.html").read_text(encoding="utf-8"))


def resolve(out: Path, source: str) -> Any:
    """The number that a cell says it shows."""
    name, place = source.split("#")
    value: Any = json.loads((out / f"{name}.json").read_text())
    for key in place.split("/"):
        value = value[int(key) if isinstance(value, list) else key]
    return value


def step(text: str) -> float:
    """Half of the last digit's worth, of a number as shown."""
    digits, _, power = text.removesuffix(" %").partition("e")
    return 0.5001 * 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))


def test_every_number_is_the_one_of_its_outcome(out: Path, html: Reader) -> None:
    sourced = [(each, text) for each, text in html.numbers if "data-source" in each]
    assert len(sourced) > 200
    for each, text in sourced:
        value = float(str(each["data-value"]))
        assert value == resolve(out, str(each["data-source"]))
        assert abs(float(text.removesuffix(" %").replace(",", "")) - value) <= step(text)


def test_every_final_regret_is_shown(out: Path, html: Reader) -> None:
    shown = {each.get("data-source") for each, _ in html.numbers}
    for outcome in outcomes(out):
        if outcome.kind != "seconds":
            base = f"{outcome.protocol}/{outcome.item}/{slug(outcome.setting) or 'base'}"
            for name in outcome.agents:
                assert f"{base}#agents/{name}/curve/mean/-1" in shown


def test_every_claim_is_shown(out: Path, html: Reader) -> None:
    claims = json.loads((out / "claims.json").read_text())
    own = json.loads((out / "comparisons.json").read_text())
    shown = {each.get("data-source") for each, _ in html.numbers}
    assert {f"claims#{i}/measured" for i in range(len(claims))} <= shown
    assert {f"comparisons#{i}/measured" for i in range(len(own))} <= shown
    assert {each["item"] for each in own} == {"mine"}
    assert "own" not in {each["protocol"] for each in claims}
    for record in claims:
        if record["item"] == "1a" and isinstance(record["claimed"], float):
            assert f"{record['claimed']:.2f} %" in html.text
    assert "does not hold" in html.text


def test_seconds_stand_beside_the_papers(out: Path, html: Reader) -> None:
    outcome = next(each for each in outcomes(out) if each.item == "table1")
    sums = {name: sum(pair) for name, pair in outcome.choosing_seconds.items()}
    shown = [
        float(str(each["data-value"])) for each, _ in html.numbers if "data-source" not in each
    ]
    assert sums["BS"] in shown
    assert any(each == pytest.approx(sums["BS"] / sums["ConUCB"]) for each in shown)
    assert "11,297" in html.text


def test_nothing_is_loaded_from_elsewhere(html: Reader) -> None:
    for tag, given in html.tags:
        for name in ("src", "href", "srcset", "data"):
            assert str(given.get(name, "#")).startswith(("#", "data:image/svg+xml;base64,"))
        assert tag not in ("script", "link", "iframe", "object")


def test_pictures_have_words(html: Reader) -> None:
    alts = [str(given["alt"]) for tag, given in html.tags if tag == "img"]
    assert len(alts) > 8
    assert all(len(alt) > 40 for alt in alts)
    assert len(set(alts)) == len(alts)


def test_the_page_can_be_heard_and_printed(html: Reader) -> None:
    names = [tag for tag, _ in html.tags]
    assert {"header", "nav", "main", "footer", "caption"} <= {*names}
    assert names.count("table") == names.count("caption")
    assert all(given.get("scope") in ("col", "row") for tag, given in html.tags if tag == "th")
    assert "@media print" in html.text
    ids = {given["id"] for _, given in html.tags if "id" in given}
    links = [str(given["href"]) for tag, given in html.tags if tag == "a"]
    assert all(link.removeprefix("#") in ids for link in links)


def test_names_of_the_users_own_are_text_not_markup(html: Reader) -> None:
    assert "Mine <&> only" in html.text
    assert "my agent" in html.text


def test_figures_are_there_and_equal_when_written_again(out: Path, tmp_path: Path) -> None:
    folder = out / "figures"
    stems = {each.stem for each in folder.iterdir()}
    assert {"authors-1a", "authors-1c", "authors-crossed", "own-mine", "claims"} <= stems
    assert {"authors-theory-coverage", "authors-theory-bounds", "authors-table1"} <= stems
    assert {f"fair-1a-raw-theta-dense-graph{kind}" for kind in ("", "-tuning")} <= stems
    few = [each for each in grouped(outcomes(out)) if each.item == "1a"][:2]
    write_figures(few, tmp_path)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (folder / path.name).read_bytes()
        assert {".svg", ".pdf"} == {each.suffix for each in folder.glob(f"{path.stem}.*")}


def test_every_kind_is_shown_and_no_other() -> None:
    assert set(KINDS) == set(RECORDS) == set(get_args(Kind))


def test_the_kind_decides_not_the_name(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another item of the kind, under a name of its own, is drawn and told like the one we have."""
    for name, kind, figures in (
        ("crossed", "crossed", {""}),
        ("theory", "theory", {"-coverage", "-bounds"}),
        ("table1", "seconds", {""}),
    ):
        monkeypatch.setitem(ITEMS, "new", replace(ITEMS[name], name="new"))
        renamed = [replace(each, item="new") for each in outcomes(out) if each.item == name]
        assert {each.kind for each in renamed} == {kind}
        groups = grouped(renamed)
        pictures = write_figures(groups, tmp_path / kind)
        assert {each.svg.stem for each in pictures} == {f"authors-new{end}" for end in figures}
        (mine,) = sections(groups, pictures)
        (theirs,) = sections(grouped(e for e in outcomes(out) if e.item == name), [])
        assert [table.head for table in mine.tables] == [table.head for table in theirs.tables]
        told = [replace(each, item=name) for each in records(renamed)]
        assert told == records(each for each in outcomes(out) if each.item == name)


@pytest.mark.parametrize("name", ["theory", "1b", "crossed", "table1", "1a"])
def test_ones_own_comparison_may_be_called_like_an_item(name: str, out: Path) -> None:
    """It is drawn as curves, and none of the paper's claims is about it."""
    (own,) = [each for each in outcomes(out) if each.protocol == "own"]
    called = Outcome.from_json({**own.to_json(), "item": name})
    assert (called.kind, called.heading) == ("curves", "Mine <&> only")
    assert {each.verdict for each in records([called])} == {"not claimed"}
    assert "Mine <&> only: " in findings([called], records([called]))[0]


def test_quick_runs_say_so(out: Path, html: Reader) -> None:
    assert "Quick run: too small to decide anything" in html.text
    for path in (out / "figures").glob("*.svg"):
        assert "quick run" in path.read_text(encoding="utf-8"), path.name


def test_a_full_run_is_not_called_quick(tmp_path: Path) -> None:
    play(tmp_path, few("1a"), "authors", replace(TINY, quick=False))
    text = report.write(tmp_path).read_text(encoding="utf-8")
    assert "quick" not in Reader(text).text.lower().replace(".quick", "")
    assert "quick" not in (tmp_path / "figures/authors-1a.svg").read_text(encoding="utf-8")


def test_docs_have_a_page_for_each_item(out: Path, tmp_path: Path) -> None:
    written = report.write_docs(out, tmp_path)
    items = {outcome.item for outcome in outcomes(out)}
    assert {path.stem for path in written} == {"index", *items}
    for path in written:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r">>>|/tmp|\\n", text)
        for figure in re.findall(r"\]\((figures/[^)]+)\)", text):
            assert (tmp_path / figure).is_file()
    assert COMMAND in (tmp_path / "1a.md").read_text(encoding="utf-8")
    assert "43.10 %" in (tmp_path / "index.md").read_text(encoding="utf-8")
    kept, claims = (json.loads((p / "claims.json").read_text()) for p in (tmp_path, out))
    assert [each["agent"] for each in kept] == [each["agent"] for each in claims]
    assert kept[0]["measured"] == round(claims[0]["measured"], 4)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no finished experiment"):
        report.write(tmp_path)


def test_without_jinja_the_error_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("importlib.import_module", missing)
    with pytest.raises(MissingExtra, match="the report needs more packages"):
        page.render(Material([]))


def test_an_agent_keeps_its_look_whoever_else_takes_part() -> None:
    assert looks(["mine", "MCR"])["MCR"] == looks(["MCR", "LinUCB"])["MCR"]
    everyone = looks(["LinUCB", "Arm-Con", "ConUCB", "UCB", "BS", "MCR", "a", "b"])
    assert len({(look.colour, str(look.line), look.marker) for look in everyone.values()}) == 8

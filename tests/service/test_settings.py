"""Every setting by option, environment and file; what is unknown; what --check-config says."""

from __future__ import annotations

import inspect
import os
import re
import runpy
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conlinucb.cli.serve import serve
from conlinucb.errors import InvalidInput
from conlinucb.service.config import ServiceConfig, key_from_environment, read_config
from conlinucb.service.sources import OTHER_VARIABLES, PREFIX, flag, variable
from support.service_commands import bare

ROOT = Path(__file__).parents[2]
SETTINGS = ServiceConfig.model_fields
KEY = "0123456789abcdef-key"


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """No variable of ours but those of the test, in a folder of its own."""
    for name in os.environ:
        if name.startswith(PREFIX):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return monkeypatch


def test_every_setting_is_described_and_has_an_option(clean: pytest.MonkeyPatch) -> None:
    assert all(each.description for each in SETTINGS.values())
    assert {*SETTINGS} <= {*inspect.signature(serve).parameters}
    clean.setenv("COLUMNS", "200")  # no name is broken into two lines
    shown = bare("serve", "--help").output
    assert all(flag(name) in shown for name in SETTINGS)


def test_the_page_of_settings_is_as_the_code_makes_it() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "make_settings.py"))["page"]()
    found = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert found == made, "run: python docs/make_settings.py"


def test_every_variable_that_the_project_names_is_known() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.md", "Makefile", "*.yml", "*.yaml", "deploy"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    ).stdout.split()  # fmt: skip
    if not listed:
        pytest.skip("not in a clone")
    texts = (ROOT / each for each in listed if "CHANGELOG" not in each)
    found = set[str]()
    for each in texts:
        if each.is_file() and each != Path(__file__):
            found |= set(re.findall(r"\bCONLINUCB_([A-Z][A-Z_]*[A-Z])\b", each.read_text("utf-8")))
    assert "KEY" in found
    assert found <= {*OTHER_VARIABLES, *(name.upper() for name in SETTINGS)}


EXAMPLES: dict[str, tuple[str, Any]] = {
    "port": ("81", 81),
    "hosts": ("a.example,b.example", ("a.example", "b.example")),
    "page": ("open", "open"),
    "default": ("films", "films"),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_options_before_environment_before_file(
    name: str, tmp_path: Path, clean: pytest.MonkeyPatch
) -> None:
    text, value = EXAMPLES[name]
    field = SETTINGS[name].default
    file = tmp_path / "service.toml"
    file.write_text(f"{name} = {list(value) if isinstance(value, tuple) else value!r}")
    assert getattr(read_config(None), name) == field
    assert getattr(read_config(file), name) == value
    other = {"port": "82", "hosts": '["c.example"]', "page": "off", "default": "other"}[name]
    clean.setenv(variable(name), other)
    assert getattr(read_config(file), name) != value
    assert getattr(read_config(file, **{name: text}), name) == value
    clean.setenv(variable(name), "")
    assert getattr(read_config(file), name) == value


def test_catalogues_by_the_environment_replace_those_of_the_file(
    tmp_path: Path, clean: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "folder" / "service.toml"
    file.parent.mkdir()
    file.write_text("[catalogues.films]\ndemo = true\n")
    (tmp_path / "tags.csv").write_text("item,tag\na,b\n")
    clean.setenv(variable("catalogues"), '{"books": {"file": "tags.csv"}}')
    found = read_config(file).catalogues
    assert {name: each.file for name, each in found.items()} == {"books": tmp_path / "tags.csv"}
    clean.setenv(variable("catalogues"), "books")
    with pytest.raises(InvalidInput, match="CONLINUCB_CATALOGUES: catalogues: must be JSON"):
        read_config(file)


def test_what_is_unknown_is_refused_with_the_nearest_name(
    tmp_path: Path, clean: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "service.toml"
    file.write_text("databse = 'x'")
    with pytest.raises(InvalidInput, match=r"service.toml: .*'databse'.* 'database'"):
        read_config(file)
    file.write_text("[catalogues.films]\ndemo = true\nsettings = {max_question = 1}")
    with pytest.raises(InvalidInput, match=r"films\.settings\.max_question: .* 'max_questions'"):
        read_config(file)
    assert "--port" in bare("serve", "--prot", "1").output
    clean.setenv("CONLINUCB_PROT", "1")
    with pytest.raises(InvalidInput, match=r"CONLINUCB_PROT.* 'CONLINUCB_PORT'"):
        read_config(None)


def test_an_error_names_what_is_to_be_changed(clean: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"^--port: "):
        read_config(None, port="70000")
    clean.setenv(variable("workers"), "many")
    with pytest.raises(InvalidInput, match=r"^CONLINUCB_WORKERS: "):
        read_config(None)


def test_secrets_may_lie_in_files(clean: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n")
    (tmp_path / "database").write_text("sqlite:///other.db\n")
    clean.setenv("CONLINUCB_KEY_FILE", str(tmp_path / "key"))
    clean.setenv("CONLINUCB_DATABASE_FILE", str(tmp_path / "database"))
    config = read_config(None)
    assert (config.database, key_from_environment(config)) == ("sqlite:///other.db", KEY)
    clean.setenv("CONLINUCB_KEY", KEY)
    with pytest.raises(InvalidInput, match="not both"):
        key_from_environment(config)
    clean.delenv("CONLINUCB_KEY")
    clean.setenv("CONLINUCB_KEY_FILE", str(tmp_path / "nowhere"))
    with pytest.raises(InvalidInput, match=r"CONLINUCB_KEY_FILE: .*nowhere cannot be read"):
        key_from_environment(config)


# serve --check-config


def test_a_checked_configuration_says_where_each_setting_is_from(
    tmp_path: Path, clean: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "service.toml"
    file.write_text("workers = 3")
    clean.setenv("CONLINUCB_CONFIG", str(file))
    clean.setenv("CONLINUCB_PAGE", "off")
    done = bare("serve", "--check-config", "--port", "81")
    assert done.code == 0, done.output
    lines = done.lines
    assert {"port  81  --port", "page  off  CONLINUCB_PAGE", f"workers  3  {file}"} <= {*lines}
    assert "drain_seconds  10  default" in lines
    assert "database: conlinucb.db will be made" in lines
    assert not (tmp_path / "conlinucb.db").exists()
    assert {line.split("  ")[0] for line in lines if "  " in line} == {*SETTINGS}


def test_all_that_is_wrong_is_said_and_no_secret(clean: pytest.MonkeyPatch) -> None:
    clean.setenv("CONLINUCB_DATABASE", "postgresql://ann:geheim@127.0.0.1:1/x?sslpassword=geheim")
    clean.setenv("CONLINUCB_KEY", "too-short")
    done = bare("serve", "--check-config", "--host", "0.0.0.0")
    assert done.code == 1
    wrong = [line for line in done.lines if line.startswith("wrong: ")]
    assert len(wrong) == 2
    assert "at least 16 characters" in wrong[0]
    assert "does not answer" in wrong[1]
    assert "geheim" not in done.output
    assert "too-short" not in done.output


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--port", "70000"], "--port: port"),
        (["--port", "70000", "--workers", "many"], "got 'many'"),
        (["--config", "nowhere.toml"], "no file nowhere.toml"),
        (["--modules", "nowhere"], "no folder nowhere"),
        (["--catalogues", '{"a": {"file": "nowhere.csv"}}'], "nowhere.csv"),
        (["--database", "sqlite:///no/such/folder/x.db"], "cannot be made"),
        (["--database", "mysql://a:geheim@b/c"], "database must be"),
        (["--database", "sqlite://", "--workers", "2"], "one process"),
    ],
)
def test_a_configuration_that_cannot_be_used(options: list[str], says: str) -> None:
    done = bare("serve", "--check-config", *options)
    assert done.code == 1
    assert says in done.output
    assert "geheim" not in done.output


def test_the_same_settings_for_other_commands(clean: pytest.MonkeyPatch) -> None:
    clean.setenv("CONLINUCB_DATABASE", "sqlite:///service.db")
    assert bare("db", "upgrade").code == 0
    done = bare("serve", "--check-config")
    assert (done.code, "database: answers, at migration" in done.output) == (0, True)
    clean.setenv("CONLINUCB_DATABSE", "x")
    assert isinstance(bare("db", "upgrade").error, InvalidInput)

"""No person waits for a compiler: what is put into service has held a conversation before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conlinucb.agent.agent import Agent
from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.version import Content
from conlinucb.service.settings import Settings
from support.service_live import catalog
from support.service_world import opened

KINDS = {"one": "term", "pair": "pair", "any": "group", "best": "group"}


@pytest.mark.parametrize("settled", [True, False], ids=["settings", "upload"])
@pytest.mark.parametrize("about", KINDS)
def test_a_question_of_its_kind_was_answered_before_it_is_served(
    about: Any, settled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = opened(f"sqlite:///{tmp_path / 'service.db'}")
    catalogues = Catalogues(storage)
    catalogues.opened = True
    wanted = Settings(ask_about=about, range=(1.0, 5.0))
    catalogues.replace("it", Content(catalog()), Settings(max_questions=0) if settled else None)
    before = catalogues.serving("it")
    hear, heard = Agent.hear, []

    def listen(agent: Agent, user: Any, question: Any, answer: Any) -> None:
        hear(agent, user, question, answer)
        assert catalogues.serving("it") is before
        heard.append(question.kind)

    monkeypatch.setattr(Agent, "hear", listen)
    if settled:
        catalogues.set_settings("it", wanted)
    else:
        catalogues.replace("it", Content(catalog()), wanted)
    assert KINDS[about] in heard
    assert catalogues.serving("it").settings.ask_about == about
    storage.close()

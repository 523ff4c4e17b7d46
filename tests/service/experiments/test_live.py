"""On simulated people: the better agent is named, and the exported log tells what comes to pass."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.spec import agent_of
from conlinucb.service.experiments.compare import Asked, compare
from conlinucb.service.experiments.log_file import write_log
from conlinucb.service.experiments.log_rows import LogRows
from conlinucb.service.schemas.experiments import ExperimentBody
from conlinucb.service.storage import MEMORY
from support.service_commands import bare, run
from support.service_live import CURIOUS, KEEN, Crowd, crowd

pytestmark = pytest.mark.more
ARMS = [{"name": "curious", "share": 0.5}, {"name": "keen", "share": 0.5, "agent": KEEN}]
ROUNDS = 6
PEOPLE = 160
"""Of both arms; docs/live.md states this number."""


def _verdict(talking: Crowd) -> tuple[str | None, str]:
    experiment = talking.use_cases.experiments.latest("it")
    version = talking.catalogues.serving("it")
    found = compare(talking.storage, version, experiment, Asked(rounds=(1, ROUNDS)))
    return found.pairs[0].better, found.pairs[0].verdict


def test_the_better_agent_is_named(tmp_path: Path) -> None:
    """Within the stated number of people, looking after every 40; then promoted and rolled back."""
    url = f"sqlite:///{tmp_path / 'live.db'}"
    with crowd(url, explore=0.05) as talking:
        experiments = talking.use_cases.experiments
        experiments.start("it", ExperimentBody.model_validate({"arms": ARMS, "seed": 7}))
        named = []
        for number in range(PEOPLE):
            talking.talk(f"p{number}", number, ROUNDS)
            if number % 40 == 39:
                named.append(_verdict(talking)[0])
        assert named[-1] == "keen", _verdict(talking)
        assert set(named) <= {None, "keen"}
        picture = tmp_path / "live.png"
        told = run(["live", "compare", "it", "--rounds", "1-6", "--picture", str(picture)], url)
        assert told.code == 0, told.output
        assert any(line.startswith("keen is better than curious by") for line in told.lines)
        assert picture.stat().st_size > 10_000
        assert run(["live", "promote", "it", "keen"], url).code == 0
        talking.catalogues.refresh()
        assert talking.catalogues.serving("it").settings.agent == KEEN
        assert "has ended, keen was promoted" in run(["live", "status", "it"], url).output
        assert run(["live", "rollback", "it"], url).code == 0
        talking.catalogues.refresh()
        assert talking.catalogues.serving("it").settings.agent == CURIOUS


def test_the_exported_log_tells_what_comes_to_pass(tmp_path: Path) -> None:
    """An agent judged by the log of another, which draws now and then; then it serves people."""
    with crowd(MEMORY, agent={**CURIOUS, "alpha": 1.0}, explore=0.2) as talking:
        logged = [talking.talk(f"p{i}", i, ROUNDS, pool_size=4) for i in range(400)]
        out = tmp_path / "log.parquet"
        rows = LogRows(talking.storage, talking.catalogues, talking.catalogues.serving("it"), 0.0)
        assert write_log(out, rows) == {"decision": 400 * ROUNDS}
        rows.catalog.save(tmp_path / "log.npz")
        agent = agent_of(KEEN, rows.catalog)
        found = cl.evaluate(out, agent)
        assert found.logged.value == pytest.approx(np.mean(logged))
        by_command = bare("offline", str(out), "--agent", json.dumps(KEEN))
        assert by_command.code == 0, by_command.output
        talking.set(agent=KEEN, explore=0.0)
        means = [np.mean(talking.talk(f"n{i}", 10_000 + i, ROUNDS, 4)) for i in range(400)]
        for name in ("ips", "snips", "dr"):
            assert found[name].covers(float(np.mean(means))), (found[name], np.mean(means))

"""Decisions as they were recorded once: the same arms, questions, beliefs and figures, for ever.

Everything here goes through the published interface: ``import conlinucb``, the command line and
HTTP. What is expected lies beside this file, in ``golden_trace.json`` and ``old_log.sqlite``. To
record it anew, which is right only where decisions are meant to change:

    python tests/test_golden_trace.py --write
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import platform
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl

HERE = Path(__file__).resolve().parent
KEPT = HERE / "golden_trace.json"
OLD_LOG = HERE / "old_log.sqlite"
RTOL = 1e-9
ATOL = 1e-12
"""For numbers that are 0 but for rounding."""
SEED = 2023
STRATEGIES = (
    "spanner",
    "max-radius",
    "ucb",
    "random",
    "optimal-greedy",
    "related-confidence",
    "related-reduction",
)

Floats = NDArray[np.float64]


# Comparing


ADDED = (
    *("terms", "pair_question"),
    *("explore", "population", "population_least", "population_days"),
    *("version", "agent", "pool", "pool_size", "excluded", "excluded_digest", "propensity"),
    *("said", "first", "among", "left_out", "public"),
    *("pick", "chose", "picked", "any_question", "best_question"),
)
"""Fields of HTTP that came later, for questions about pairs and groups, random exploration,
populations, and decisions that can be judged by the log: what was there before stays."""


def differences(found: Any, kept: Any, where: str = "") -> Iterator[str]:
    """Where two trees of plain values differ; numbers may differ by rounding."""
    if isinstance(found, Mapping) and isinstance(kept, Mapping):
        for name in dict.fromkeys([*kept, *found]):
            at = f"{where}.{name}"
            if name in ADDED and name not in kept:
                continue
            if name not in found or name not in kept:
                yield f"{at} is only in what was {'kept' if name in kept else 'found'}"
            else:
                yield from differences(found[name], kept[name], at)
    elif isinstance(found, list) and isinstance(kept, list):
        if len(found) != len(kept):
            yield f"{where} has length {len(found)}, not {len(kept)}"
        for i, (one, other) in enumerate(zip(found, kept, strict=False)):
            yield from differences(one, other, f"{where}[{i}]")
    elif not _equal(found, kept):
        yield f"{where} is {found!r}, not {kept!r}"


def _equal(found: Any, kept: Any) -> bool:
    if isinstance(found, float) or isinstance(kept, float):
        numbers = all(isinstance(each, (int, float)) for each in (found, kept))
        return numbers and math.isclose(found, kept, rel_tol=RTOL, abs_tol=ATOL)
    return type(found) is type(kept) and bool(found == kept)


def assert_same(found: Any, kept: Any) -> None:
    """Both as JSON would have them; at most a few of the differences are said."""
    wrong = list(differences(json.loads(json.dumps(found)), kept))
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:20])


@cache
def kept() -> Any:
    """What was recorded."""
    return json.loads(KEPT.read_text(encoding="utf-8"))


# Catalogues and people, the same with every version of NumPy


def uniform(name: str, *shape: int) -> Floats:
    """Numbers from -1 to 1 that follow from the name alone: NumPy's streams may change."""
    raw = hashlib.shake_256(name.encode()).digest(8 * math.prod(shape))
    whole = np.frombuffer(raw, dtype="<u8") >> np.uint64(11)
    numbers: Floats = whole.astype(np.float64) * 2.0**-52 - 1.0
    return numbers.reshape(shape)


def unit_rows(rows: Floats) -> Floats:
    lengths: Floats = np.sqrt(np.sum(rows * rows, axis=1, keepdims=True))
    return rows / lengths


def weights(name: str, arms: int, terms: int, share: float) -> Floats:
    """Weights from 0.5 to 1.5 for this share of all pairs, 0 for the others."""
    member = uniform(f"{name} member", arms, terms) < 2 * share - 1
    return np.where(member, 1.0 + 0.5 * uniform(f"{name} weight", arms, terms), 0.0)


@cache
def dense() -> cl.Catalog:
    """Small, and every arm in a third of the key-terms; lengths differ."""
    return cl.Catalog(uniform("dense", 60, 8) * 0.6, weights("dense", 60, 12, 0.33))


@cache
def wide() -> cl.Catalog:
    """As in the paper: d = 50. Arms of unit length, so that at first the tie rule decides."""
    arms = unit_rows(uniform("wide", 1000, 50))
    return cl.Catalog(arms, weights("wide", 1000, 100, 0.03))


@cache
def long_list() -> cl.Catalog:
    """More arms than are looked at one by one."""
    return cl.Catalog(uniform("long", 3000, 8) * 0.6, weights("long", 3000, 12, 0.05))


@cache
def tiny() -> cl.Catalog:
    return cl.Catalog(uniform("tiny", 9, 3), weights("tiny", 9, 4, 0.5))


def people(catalog: cl.Catalog, *, pool: int, offered: int | None, shared: bool) -> cl.LinearUsers:
    return cl.LinearUsers(
        unit_rows(uniform(f"people {catalog.d}", 4, catalog.d)),
        noise=0.1,
        term_noise=0.15,
        pool_size=pool,
        offered_size=offered,
        shared_noise=shared,
    )


# Many agents in a simulation


@dataclass(frozen=True)
class World:
    """A catalogue and the people who meet it."""

    catalog: Callable[[], cl.Catalog]
    pool: int
    offered: int | None
    shared: bool

    def people(self) -> cl.LinearUsers:
        return people(self.catalog(), pool=self.pool, offered=self.offered, shared=self.shared)


WORLDS = {
    "dense": World(dense, pool=10, offered=None, shared=False),
    "dense, few offered": World(dense, pool=10, offered=5, shared=True),
    "wide": World(wide, pool=50, offered=None, shared=True),
    "wide, few offered": World(wide, pool=50, offered=20, shared=False),
}
ROUNDS = 200
REPEATS = 2


def agents(catalog: cl.Catalog, *, some_offered: bool) -> dict[str, cl.Agent]:
    """Every recipe and strategy as it is by default, then with what else can be chosen."""
    # The spanner asks about its own key-terms, so it takes no choice of them.
    able = [name for name in STRATEGIES if not (some_offered and name == "spanner")]
    return {
        "linucb": cl.linucb(catalog),
        "arm_con": cl.arm_con(catalog),
        **{f"conucb {name}": cl.conucb(catalog, strategy=name) for name in able},
        **{f"conlinucb {name}": cl.conlinucb(catalog, strategy=name) for name in able},
        **_others(catalog),
    }


def _others(catalog: cl.Catalog) -> dict[str, cl.Agent]:
    wide_open, half = cl.TheoryAlpha(), cl.TheoryAlpha(delta=0.5)
    from_0 = cl.Logarithmic(5, zero_based=True)
    return {
        "linucb theory": cl.linucb(catalog, beta=0.3, alpha=wide_open),
        "arm_con every": cl.arm_con(catalog, alpha=0.2, schedule=cl.Every(3, zero_based=True)),
        "conucb theory": cl.conucb(catalog, mix=0.3, alpha=wide_open, term_alpha=half),
        "conucb from 0": cl.conucb(catalog, strategy="ucb", term_beta=0.4, schedule=from_0),
        "conlinucb theory": cl.conlinucb(catalog, alpha=half, schedule=cl.Linear(0.3)),
        "conlinucb from 0": cl.conlinucb(catalog, beta=0.4, schedule=from_0),
        "conlinucb linear": cl.conlinucb(
            catalog, strategy="ucb", alpha=0.3, schedule=cl.Linear(0.29, zero_based=True)
        ),
        "conlinucb never": cl.conlinucb(catalog, schedule=cl.Never(zero_based=True)),
    }


def play(name: str) -> dict[str, Any]:
    """What every agent did in a world."""
    world = WORLDS[name]
    playing = agents(world.catalog(), some_offered=world.offered is not None)
    results = cl.simulate(
        playing, world.people(), rounds=ROUNDS, repeats=REPEATS, seed=SEED, log=20, trace=True
    )
    return {each: _played(results, each) for each in playing}


def _played(results: cl.Results, agent: str) -> dict[str, Any]:
    regrets = results.final_regret(agent)
    repeats, users = regrets.shape
    traces = [results.trace(agent, r, u) for r in range(repeats) for u in range(users)]
    arms, asked = ([each[i] for each in traces] for i in (0, 1))
    return {
        "arms_sha256": digest(arms),
        "asked_sha256": digest(asked),
        # The first person's in clear: a hash does not say where it went wrong.
        "arms": arms[0][:40].tolist(),
        "asked": asked[0][:20].tolist(),
        "regrets": regrets.tolist(),
    }


def digest(rows: Sequence[NDArray[Any]]) -> str:
    """A hash of several lists of indices, with their lengths."""
    found = hashlib.sha256()
    for row in rows:
        found.update(f"{row.size}:".encode())
        found.update(np.ascontiguousarray(row, dtype="<i8").tobytes())
    return found.hexdigest()


@pytest.mark.parametrize("name", WORLDS)
def test_simulated_decisions_and_regrets_are_as_recorded(name: str) -> None:
    assert_same(play(name), kept()["simulated"][name])


# Chance, and the spanner


def draws(name: str) -> list[dict[str, Any]]:
    """What chance brings a few people."""
    world = WORLDS[name]
    crowd, catalog = world.people(), world.catalog()
    found = []
    for repeat, user, t in ((0, 0, 1), (1, 3, 200)):
        chance = crowd.draw(SEED, repeat, user, t, questions=3, catalog=catalog)
        found.append(
            {
                "pool": chance.pool.tolist(),
                "offered": None if chance.offered is None else chance.offered.tolist(),
                "noise": float(chance.noise),
                "term_noise": chance.term_noise.tolist(),
                "arm_noise": chance.arm_noise.tolist(),
            }
        )
    return found


@pytest.mark.parametrize("name", WORLDS)
def test_chance_brings_what_was_recorded(name: str) -> None:
    assert_same(draws(name), kept()["draws"][name])


SPANNED: dict[str, tuple[Callable[[], cl.Catalog], float]] = {
    "dense": (dense, 1.0),
    "wide": (wide, 1.0),
    "wide, C = 2": (wide, 2.0),
}


def spanned(name: str) -> dict[str, Any]:
    catalog, C = SPANNED[name]
    found = cl.barycentric_spanner(catalog().terms, C)
    return {
        "indices": found.indices.tolist(),
        "C": float(found.C),
        "rank": int(found.rank),
        "lambda_B": float(found.lambda_B),
    }


@pytest.mark.parametrize("name", SPANNED)
def test_spanner_is_as_recorded(name: str) -> None:
    assert_same(spanned(name), kept()["spanners"][name])


# By hand: pools, exclusions, skips, and rewards that come late or never

BY_HAND_ROUNDS = 24
LEFT_OPEN = 10
"""The question of this round is left open, and answered in the next."""


@dataclass
class ByHand:
    """One person who talks with an agent through its verbs."""

    agent: cl.Agent
    user: cl.User
    crowd: cl.LinearUsers
    some_offered: bool
    due: list[int] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    arms: list[list[int]] = field(default_factory=list)
    exploring: list[int] = field(default_factory=list)
    """How many of each round's arms were shown to be learned about."""
    later: dict[int, list[int]] = field(default_factory=dict)
    """By round, the arms whose rewards come then."""

    @property
    def taste(self) -> Floats:
        return np.asarray(self.crowd.thetas[1])

    def round(self, t: int) -> cl.Advice:
        catalog = self.agent.catalog
        chance = self.crowd.draw(SEED, 0, 1, t, questions=1, catalog=catalog)
        pool = None if t % 3 == 0 else chance.pool
        offered = chance.offered if self.some_offered and t % 2 else None
        self._ask(t, pool, offered, float(chance.term_noise[0]))
        # What was shown in the last round is not shown again, every other time.
        exclude = self.arms[-1] if self.arms and t % 2 == 0 else None
        advice = self.agent.recommend(self.user, pool, k=3, exclude=exclude)
        self.arms.append(advice.arms.tolist())
        self.exploring.append(int(advice.exploring.sum()))
        self._learn(t, self.arms[-1], float(chance.noise))
        return advice

    def _ask(self, t: int, pool: Any, offered: Any, noise: float) -> None:
        self.due.append(self.agent.questions_due(self.user))
        while (question := self.agent.ask(self.user, pool, offered)) is not None:
            self.asked.append(question.index)
            if t == LEFT_OPEN:
                return
            rows = self.agent.catalog.terms if question.kind == "term" else self.agent.catalog.arms
            value = float(np.sum(rows[question.index] * self.taste)) + noise
            self.agent.hear(self.user, question, None if len(self.asked) % 4 == 0 else value)

    def _learn(self, t: int, shown: list[int], noise: float) -> None:
        """The first arm's reward now, the second's three rounds later, the third's never."""
        self.later.setdefault(t, []).append(shown[0])
        self.later.setdefault(t + 3, []).extend(shown[1:2])
        for arm in self.later.pop(t):
            reward = float(np.sum(self.agent.catalog.arms[arm] * self.taste)) + noise
            self.agent.learn(self.user, arm, reward)


def talk_by_hand(agent: cl.Agent, name: str, crowd: cl.LinearUsers, rounds: int) -> dict[str, Any]:
    """A whole conversation; afterwards the estimate, and the last recommendation's numbers."""
    some_offered = crowd.offered_size is not None and not name.endswith("spanner")
    talk = ByHand(agent, agent.new_user(seed=77), crowd, some_offered)
    for t in range(1, rounds + 1):
        advice = talk.round(t)
    return {
        "due": talk.due,
        "asked": talk.asked,
        "arms": talk.arms,
        "exploring": talk.exploring,
        "theta": talk.user.theta.tolist(),
        "scores": advice.scores.tolist(),
        "means": advice.means.tolist(),
        "radii": advice.radii.tolist(),
    }


def by_hand_agents(catalog: cl.Catalog) -> dict[str, cl.Agent]:
    """With a question in most rounds, and two in some."""
    often = cl.Linear(1.3)
    return {
        "linucb": cl.linucb(catalog, beta=0.7, alpha=0.4),
        "arm_con": cl.arm_con(catalog, beta=0.7, alpha=0.4, schedule=often),
        **{
            f"conucb {name}": cl.conucb(catalog, strategy=name, mix=0.4, schedule=often)
            for name in STRATEGIES
        },
        **{
            f"conlinucb {name}": cl.conlinucb(catalog, strategy=name, schedule=often)
            for name in STRATEGIES
        },
        "conlinucb theory": cl.conlinucb(
            catalog, alpha=cl.TheoryAlpha(delta=0.2), schedule=cl.Every(2, zero_based=True)
        ),
    }


def by_hand(name: str) -> dict[str, Any]:
    crowd = people(dense(), pool=12, offered=5, shared=False)
    return talk_by_hand(by_hand_agents(dense())[name], name, crowd, BY_HAND_ROUNDS)


BY_HAND = (
    "linucb",
    "arm_con",
    *(f"{recipe} {name}" for recipe in ("conucb", "conlinucb") for name in STRATEGIES),
    "conlinucb theory",
)


@pytest.mark.parametrize("name", BY_HAND)
def test_conversation_by_hand_is_as_recorded(name: str) -> None:
    assert_same(by_hand(name), kept()["by_hand"][name])


LONG_LIST = ("linucb", "arm_con", "conucb optimal-greedy", "conlinucb max-radius")


def from_long_list(name: str) -> dict[str, Any]:
    """Every third round looks at all arms of a long list, and two newcomers get the same."""
    crowd = people(long_list(), pool=2500, offered=None, shared=False)
    agent = by_hand_agents(long_list())[name]
    newcomers = [agent.recommend(agent.new_user(seed=each), k=3).arms.tolist() for each in (1, 2)]
    return {"newcomers": newcomers, **talk_by_hand(agent, name, crowd, 9)}


@pytest.mark.parametrize("name", LONG_LIST)
def test_recommendations_from_a_long_list_are_as_recorded(name: str) -> None:
    assert_same(from_long_list(name), kept()["long_list"][name])


# What is kept of a person

Arrays = Mapping[str, NDArray[Any]]


def layout(arrays: Arrays) -> dict[str, Any]:
    return {name: [str(each.dtype), list(each.shape)] for name, each in arrays.items()}


def layouts(name: str) -> dict[str, Any]:
    agent = by_hand_agents(dense())[name]
    user = agent.new_user(seed=5)
    agent.learn(user, 3, 0.5)
    return layout(user.to_arrays())


LAYOUTS = ("linucb", "arm_con", "conucb optimal-greedy", "conlinucb max-radius")


@pytest.mark.parametrize("name", LAYOUTS)
def test_arrays_of_a_person_have_the_names_and_shapes_that_were_recorded(name: str) -> None:
    found = layouts(name)
    assert_same(found, kept()["layouts"][name])
    assert list(found) == list(kept()["layouts"][name]), "the order of the arrays is fixed"


STORED: dict[str, Callable[[], cl.Agent]] = {
    # Random draws, so that going on depends on the stored seed and count, too.
    "ridge": lambda: cl.conlinucb(tiny(), strategy="random", schedule=cl.Linear(1.5)),
    "two-step": lambda: cl.conucb(tiny(), mix=0.4, term_beta=0.7, schedule=cl.Every(1)),
}
STORED_SEED = 2**63 + 12345
"""More than a signed number can hold."""


def packed(arrays: Arrays) -> dict[str, Any]:
    return {
        name: {"dtype": str(each.dtype), "shape": list(each.shape), "values": each.tolist()}
        for name, each in arrays.items()
    }


def unpacked(stored: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    return {
        name: np.array(each["values"], dtype=each["dtype"]).reshape(each["shape"])
        for name, each in stored.items()
    }


def store(name: str) -> dict[str, Any]:
    """Someone in the middle of a conversation, with a question open, and how they went on."""
    agent = STORED[name]()
    user = agent.new_user(seed=STORED_SEED)
    live_through(agent, user, rounds=6)
    assert agent.ask(user) is not None
    arrays = packed(user.to_arrays())
    return {"arrays": arrays, "then": live_through(agent, user, rounds=12)}


def live_through(agent: cl.Agent, user: cl.User, rounds: int) -> dict[str, Any]:
    """Some rounds with answers and rewards that follow from what was asked and shown."""
    asked, arms = [], []
    for _ in range(rounds):
        while (question := agent.ask(user)) is not None:
            asked.append([question.index, question.number, question.round])
            agent.hear(user, question, None if question.number % 5 == 0 else 0.3 * question.index)
        best = [int(each) for each in agent.recommend(user, k=2).arms]
        arms.append(best)
        agent.learn(user, best[0], math.sin(best[0] + 1))
    return {"asked": asked, "arms": arms, "theta": user.theta.tolist()}


@pytest.mark.parametrize("name", STORED)
def test_stored_person_is_read_and_goes_on_as_recorded(name: str) -> None:
    stored = kept()["stored"][name]
    agent = STORED[name]()
    user = agent.load_user(unpacked(stored["arrays"]))
    written = user.to_arrays()
    for each, array in unpacked(stored["arrays"]).items():
        np.testing.assert_array_equal(written[each], array, err_msg=each)
    assert_same(live_through(agent, user, rounds=12), stored["then"])


@pytest.mark.parametrize("name", STORED)
def test_person_who_was_stored_comes_about_as_recorded(name: str) -> None:
    assert_same(store(name)["then"], kept()["stored"][name]["then"])


# Over HTTP, with a real server on the demo films

READY_WITHIN = 120.0
"""Seconds; a first start compiles kernels on a busy machine."""


def environment() -> dict[str, str]:
    """Ours, without settings of a service that happens to run here."""
    return {name: text for name, text in os.environ.items() if not name.startswith("CONLINUCB_")}


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``conlinucb ...`` in a process of its own, which has to succeed."""
    done = subprocess.run(
        [sys.executable, "-m", "conlinucb", *arguments],
        cwd=folder, env=environment(), capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{arguments}: {done.stdout}\n{done.stderr}"
    return done


class Api:
    """Calls of a service on this machine."""

    def __init__(self, port: int) -> None:
        self._base = f"http://127.0.0.1:{port}"
        # Whatever the environment says: there is no proxy to loopback.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        address = self._base + urllib.parse.quote(path)
        address += f"?{urllib.parse.urlencode(query)}" if query else ""
        request = urllib.request.Request(
            address,
            None if body is None else json.dumps(body).encode(),
            {"content-type": "application/json"},
            method=method,
        )
        try:
            with self._opener.open(request, timeout=60) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            with error:
                said = error.read().decode()
            raise AssertionError(f"{method} {path}: {error.code} {said}") from None
        return json.loads(text) if text else None

    def is_ready(self) -> bool:
        """Ready, and no catalogue is being built: an old file may hold an older version."""
        try:
            self.call("GET", "/readyz")
            listed = self.call("GET", "/v1/catalogues/films")
        except (OSError, AssertionError):
            return False
        return listed["building"] is None


AS_RECORDED = """
[catalogues.films]
demo = true
d = 20
[catalogues.films.settings]
rest_after_answer = 20
[catalogues.films.settings.agent]
recipe = "conlinucb"
strategy = "max-radius"
schedule = { name = "linear", b = 1.0 }
"""
"""The films' features and agent when the trace was recorded; both have other defaults now."""


@contextmanager
def serving(database: Path) -> Iterator[Api]:
    """``conlinucb serve`` on this file; stopped in the end, with all snapshots written."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    config = database.with_suffix(".toml")
    config.write_text(AS_RECORDED)
    options = ["--config", str(config), "--database", f"sqlite:///{database}", "--port", str(port)]
    said = database.with_suffix(".said")
    with said.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "conlinucb", "serve", *options],
            cwd=database.parent, env=environment(), stdout=out, stderr=out,
            start_new_session=True,  # a group of its own, to be killed as one
        )  # fmt: skip
    try:
        api = Api(port)
        _wait(process, api, said)
        yield api
    finally:
        _stop(process)


def _wait(process: subprocess.Popen[bytes], api: Api, said: Path) -> None:
    deadline = time.monotonic() + READY_WITHIN
    while not api.is_ready():
        alive = process.poll() is None and time.monotonic() < deadline
        assert alive, f"the service did not start: {said.read_text()}"
        time.sleep(0.1)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise


ANSWERS = ("yes", "no", "skip", 0.25, "yes", 0.8, "no")


@dataclass
class Talk:
    """One person who talks with the service, always in the same way."""

    api: Api
    user: str
    catalogue: str
    k: int = 1
    steps: list[list[Any]] = field(default_factory=list)
    """Questions with their topic, recommendations with their items."""
    shown: list[str] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    rewards: list[int] = field(default_factory=list)
    later: dict[int, tuple[str, str]] = field(default_factory=dict)

    def meet(self, seed: int) -> None:
        self._call("PUT", "", {"seed": seed})

    def round(self, t: int, **wish: Any) -> None:
        """Answer what is asked; the first item's reward now, the second's three rounds later."""
        wish = {"k": self.k, **wish}
        while (came := self._call("POST", "/next", wish))["type"] == "question":
            self.steps.append(["question", came["term"]])
            self._answer(came["question"])
        items = [each["item"] for each in came["items"]]
        self.steps.append(["items", items])
        self.shown += [each for each in items if each not in self.shown]
        if len(items) > 1:
            self.later[t + 3] = came["decision"], items[1]
        self._reward(came["decision"], items[0], event=f"round {t}" if t % 4 == 0 else None)
        if t in self.later:
            self._reward(*self.later.pop(t))

    def leave_open(self) -> None:
        came = self._call("POST", "/next", {})
        self.steps.append([came["type"], came["term"]])

    def take_back(self, event: int) -> None:
        self._call("DELETE", f"/events/{event}")

    def topics(self) -> list[str]:
        return [each["term"] for each in self._call("GET", "", events=0)["terms"]]

    def _answer(self, question: str) -> None:
        answer = ANSWERS[len(self.answers) % len(ANSWERS)]
        receipt = self._call("POST", "/answers", {"question": question, "answer": answer})
        self.answers.append(receipt["event"])

    def _reward(self, decision: str, item: str, event: str | None = None) -> None:
        value = sum(item.encode()) % 11 / 10
        body = {"decision": decision, "item": item, "reward": value}
        given = body if event is None else {**body, "event": event}
        self.rewards.append(self._call("POST", "/rewards", given)["event"])
        if event is not None:  # what is sent again under its id counts once
            assert self._call("POST", "/rewards", given)["repeated"]

    def _call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        address = f"/v1/users/{self.user}{path}"
        return self.api.call(method, address, body, catalogue=self.catalogue, **query)


def long_talk(api: Api) -> list[list[Any]]:
    """30 rounds about films: enough events for a snapshot, and some behind it."""
    talk = Talk(api, "ann", "films", k=3)
    talk.meet(seed=11)
    some = talk.topics()[5:25]
    wishes: dict[int, Callable[[], dict[str, Any]]] = {
        5: lambda: {"exclude": talk.shown[:]},
        7: lambda: {"pool": talk.shown[:6], "k": 2},
        9: lambda: {"ask": "never", "k": 5},
        11: lambda: {"offered": some},
        15: lambda: {"exclude": [*talk.shown, "no film of this name"], "k": 1},
        16: lambda: {"event": "next 16", "ask": "never"},
    }
    for t in range(1, 31):
        talk.round(t, **wishes.get(t, dict)())
        if t == 12:
            talk.take_back(talk.answers[-1])
        if t == 20:
            talk.take_back(talk.rewards[-1])
    return talk.steps


def short_talk(api: Api) -> list[list[Any]]:
    """A few rounds about films, no snapshot, and a question that waits."""
    talk = Talk(api, "bob", "films")
    talk.meet(seed=12)
    for t in range(1, 7):
        talk.round(t)
    talk.leave_open()
    return talk.steps


UPLOADED: dict[str, dict[str, Any]] = {
    "books": {"recipe": "conucb", "schedule": {"name": "every", "n": 1}},
    "songs": {"recipe": "conlinucb", "strategy": "spanner", "schedule": {"name": "linear", "b": 2}},
}
"""Catalogues of our own: the estimate in two steps, and questions drawn at random."""


def upload(api: Api, name: str) -> None:
    features, tags = uniform(name, 14, 3), weights(name, 14, 5, 0.4)
    items = [
        {
            "id": f"{name} {a}",
            "features": features[a].tolist(),
            "tags": {f"topic {k}": float(tags[a, k]) for k in np.flatnonzero(tags[a])},
        }
        for a in range(len(features))
    ]
    settings = {
        "agent": UPLOADED[name], "max_questions": None, "rest_after_skip": 2, "rest_after_answer": 0
    }  # fmt: skip
    api.call("PUT", f"/v1/catalogues/{name}", {"items": items, "settings": settings})


def uploaded_talk(api: Api, name: str) -> list[list[Any]]:
    upload(api, name)
    talk = Talk(api, "cid", name, k=2)
    talk.meet(seed=2**64 - 13)
    for t in range(1, 9):
        talk.round(t)
    talk.take_back(talk.answers[1])
    talk.round(9)
    return talk.steps


TALKS: dict[str, Callable[[Api], list[list[Any]]]] = {
    "ann films": long_talk,
    "bob films": short_talk,
    "cid books": lambda api: uploaded_talk(api, "books"),
    "cid songs": lambda api: uploaded_talk(api, "songs"),
}


def who(talk: str) -> dict[str, str]:
    return dict(zip(("user", "catalogue"), talk.split(), strict=True))


def exported(api: Api, talk: str) -> list[dict[str, Any]]:
    """The person's log as its owner gets it."""
    about = who(talk)
    found = api.call("GET", f"/v1/users/{about['user']}/export", catalogue=about["catalogue"])
    return [dict(each) for each in found["conversations"][0]["events"]]


BELIEVED = (
    "rounds",
    "questions_asked",
    "open_question",
    "terms",
    "events_in_all",
    "damaged_events",
)
"""Not the catalogue's version: it counts on where the service provides the films anew."""


def profile(api: Api, talk: str) -> dict[str, Any]:
    about = who(talk)
    path = f"/v1/users/{about['user']}"
    found = api.call("GET", path, catalogue=about["catalogue"], events=0)
    return {name: found[name] for name in BELIEVED}


def serve_talks(database: Path) -> dict[str, Any]:
    """All conversations with a new service: what was asked and shown, believed and logged."""
    with serving(database) as api:
        settings = api.call("GET", "/v1/catalogues/films/settings")
        steps = {name: talk(api) for name, talk in TALKS.items()}
        profiles = {name: profile(api, name) for name in TALKS}
        logs = {name: [_untimed(each) for each in exported(api, name)] for name in TALKS}
    return {"settings": settings, "steps": steps, "profiles": profiles, "logs": logs}


def _untimed(event: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name != "at"}


def events_in(database: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of the log as they lie in a SQLite file of the recorded version."""
    query = (
        "SELECT people.name || ' ' || catalogues.name AS talk, events.* FROM events "
        "JOIN people ON people.id = events.person "
        "JOIN catalogues ON catalogues.id = people.catalogue ORDER BY talk, seq"
    )
    found: dict[str, list[dict[str, Any]]] = {}
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        for row in connection.execute(query):
            event = {name: row[name] for name in ("seq", "kind", "client_id", "subject", "at")}
            event["body"] = json.loads(row["body"])
            found.setdefault(row["talk"], []).append(event)
    return found


def as_exported(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of the log as ``export`` shows them, without the time."""
    gone = {row["body"]["of"] for row in rows if row["kind"] == "retraction"}
    return [
        {
            "event": row["seq"],
            "kind": row["kind"],
            "about": row["body"],
            "client_id": row["client_id"],
            "retracted": row["seq"] in gone,
        }
        for row in rows
    ]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return serve_talks(tmp_path_factory.mktemp("served") / "new.sqlite")


@pytest.mark.parametrize("name", TALKS)
def test_conversation_over_http_is_as_recorded(served: dict[str, Any], name: str) -> None:
    recorded = kept()["http"]
    assert_same(served["steps"][name], recorded["steps"][name])
    assert_same(served["logs"][name], as_exported(recorded["events"][name]))
    assert_same(served["profiles"][name], recorded["profiles"][name])


def test_films_are_served_with_the_settings_that_were_recorded(served: dict[str, Any]) -> None:
    recorded = kept()["http"]["settings"]
    assert_same({name: served["settings"][name] for name in recorded}, recorded)


# The log of an older version


def read_old_log(folder: Path, old: Path) -> dict[str, Any]:
    """What the service makes of a copy of an old file: beliefs, logs, and what comes next."""
    copy = folder / "old.sqlite"
    shutil.copyfile(old, copy)
    url = f"sqlite:///{copy}"
    command(folder, "db", "upgrade", "--database", url)
    command(folder, "db", "check", "--database", url)  # every log folds to what its snapshot says
    with serving(copy) as api:
        return {
            "profiles": {name: profile(api, name) for name in TALKS},
            "logs": {name: [_untimed(each) for each in exported(api, name)] for name in TALKS},
            "next": {name: next_of(api, name) for name in TALKS},
        }


def next_of(api: Api, talk: str) -> list[Any]:
    about = who(talk)
    path = f"/v1/users/{about['user']}/next"
    came = api.call("POST", path, {"k": 2}, catalogue=about["catalogue"])
    if came["type"] == "question":
        return ["question", came["term"], came["mean"], came["radius"]]
    return ["items", [[each["item"], each["mean"], each["score"]] for each in came["items"]]]


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return read_old_log(tmp_path_factory.mktemp("old"), OLD_LOG)


@pytest.mark.parametrize("name", TALKS)
def test_old_log_comes_to_the_same_beliefs(old: dict[str, Any], name: str) -> None:
    recorded = kept()["http"]
    assert_same(old["profiles"][name], recorded["profiles"][name])
    assert_same(old["logs"][name], as_exported(recorded["events"][name]))
    assert_same(old["next"][name], recorded["next"][name])


def test_old_log_and_recording_belong_together() -> None:
    assert events_in(OLD_LOG) == kept()["http"]["events"]


# A figure of the paper

REPRODUCED = ("measured", "low", "high", "verdict", "against")


def reproduce(folder: Path) -> dict[str, Any]:
    """Regrets and claims of Figure 1a, quick, as the authors ran it."""
    out = folder / "out"
    command(folder, "reproduce", "1a", "--quick", "--protocol", "authors", "--out", str(out))
    (path,) = (out / "authors" / "1a").glob("*.json")
    outcome = json.loads(path.read_text())
    claims = json.loads((out / "claims.json").read_text())
    found = outcome["agents"]
    return {
        "regrets": {name: each["last"]["regret"] for name, each in found.items()},
        "questions": {name: each["last"]["questions"] for name, each in found.items()},
        "improvements": {name: each["improvement"]["measured"] for name, each in found.items()},
        "claims": {each["agent"]: {name: each[name] for name in REPRODUCED} for each in claims},
    }


@pytest.mark.slow
def test_figure_1a_comes_out_as_recorded(tmp_path: Path) -> None:
    found = reproduce(tmp_path)
    for claim in found["claims"].values():
        if claim["verdict"] == "right direction, smaller effect":
            claim["verdict"] = "does not hold"  # there were two verdicts when it was recorded
    assert_same(found, kept()["reproduced"])


# Recording


def record(folder: Path) -> dict[str, Any]:
    """Everything anew; the old log is written beside this file."""
    return {
        "recorded_with": {
            "conlinucb": cl.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
            "machine": platform.machine(),
        },
        "draws": {name: draws(name) for name in WORLDS},
        "spanners": {name: spanned(name) for name in SPANNED},
        "simulated": {name: play(name) for name in WORLDS},
        "by_hand": {name: by_hand(name) for name in BY_HAND},
        "long_list": {name: from_long_list(name) for name in LONG_LIST},
        "layouts": {name: layouts(name) for name in LAYOUTS},
        "stored": {name: store(name) for name in STORED},
        "http": record_http(folder),
        "reproduced": reproduce(folder),
    }


def record_http(folder: Path) -> dict[str, Any]:
    database = folder / "new.sqlite"
    found = serve_talks(database)
    _compact(database)
    shutil.copyfile(database, OLD_LOG)
    # Someone who reads the file must come to what was believed while it was written.
    read = read_old_log(folder, OLD_LOG)
    assert_same(read["profiles"], found["profiles"])
    events = events_in(OLD_LOG)
    assert_same(found["logs"], {name: as_exported(rows) for name, rows in events.items()})
    return {
        "settings": found["settings"],
        "steps": found["steps"],
        "profiles": found["profiles"],
        "next": read["next"],
        "events": events,
    }


def _compact(database: Path) -> None:
    """One file without a journal beside it."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("VACUUM")


def lines(tree: Any, depth: int = 3) -> str:
    """JSON with a line for each entry of the upper levels, so that a change is seen in a diff."""
    if depth == 0 or not isinstance(tree, dict) or not tree:
        return json.dumps(tree, separators=(",", ":"), ensure_ascii=False)
    parts = [f"{json.dumps(name)}: {lines(each, depth - 1)}" for name, each in tree.items()]
    return "{\n" + ",\n".join(parts) + "\n}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Record decisions anew.")
    parser.add_argument("--write", action="store_true", required=True)
    parser.parse_args()
    print(f"recording {cl.__file__}")  # of several checkouts it is easy to record the wrong one
    with tempfile.TemporaryDirectory() as folder:
        found = record(Path(folder))
    KEPT.write_text(lines(found) + "\n", encoding="utf-8")
    for path in (KEPT, OLD_LOG):
        print(f"written: {path}, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

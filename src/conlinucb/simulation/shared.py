"""People who share: a whole repeat of one agent, visit by visit, compiled or by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conlinucb.agent.agent import Agent
from conlinucb.agent.crowd import Crowd
from conlinucb.agent.sharing import Belief, Company
from conlinucb.numerics.validation import Floats, seed_of
from conlinucb.people import play_round
from conlinucb.people.base import Place
from conlinucb.people.compiled import Compiled, Rounds, Voice
from conlinucb.people.rounds import Happened
from conlinucb.simulation.by_hand import ByHand
from conlinucb.simulation.four_verbs import Looped
from conlinucb.simulation.job import Job, Unit
from conlinucb.simulation.loop.inputs import Output
from conlinucb.simulation.loop.teach import ABOUT, relearn
from conlinucb.simulation.loop.workspace import DOUBT, TOLD
from conlinucb.simulation.visits import Visit, visits_of

BLOCK = 1 << 20
"""Arms of pools made at once, of all people: some ten megabytes."""
ROWS = 2
"""What is learned of one question, at most, unless it is about a group: of a pair, something of
each key-term."""


def play_by_hand(job: Job, unit: Unit, agent: Agent, outputs: list[Output]) -> None:
    """Everyone's rounds through the verbs of a crowd."""
    crowd = Crowd(agent, len(outputs))
    runs = []
    for person, output in enumerate(outputs):
        user = crowd.user(person)
        user.seed = seed_of(job.people.user_seed(job.seed, unit.repeat, person))

        def play(user: Any, place: Place, person: int = person) -> Happened:
            happened = play_round(crowd.agent, crowd.arrive(person), job.people, place)
            crowd.company.closed(person)
            return happened

        runs.append(ByHand(job, unit, person, user, play, output))
    for visit in _visits(job, unit):
        runs[visit.user].play(visit.first, visit.rounds)


def play_compiled(
    job: Job,
    unit: Unit,
    agent: Agent,
    outputs: list[Output],
    people: Compiled,
    ready: Callable[[Output], Any],
) -> None:
    """Everyone's rounds in the compiled loop, each visit with the state that decides for it."""
    company = Company(agent.sharing, agent.estimator, job.catalog.d, len(outputs))
    seeds = [job.people.user_seed(job.seed, unit.repeat, each) for each in range(len(outputs))]
    met = [people.meet(job.catalog, seed, each) for each, seed in enumerate(seeds)]
    neighbours = int(np.diff(agent.spreading.start).max(initial=0))
    rows = max(ROWS, 1 + neighbours, 1 if agent.chooser is None else agent.chooser.size)
    runs = [_Visited(ready(each), company, who, rows) for who, each in enumerate(outputs)]
    size = max(1, BLOCK // max(job.people.pool_size, 1))
    for some in _blocks(_visits(job, unit), size):
        blocks = {
            user: (first, met[user].rounds(first + 1, rounds))
            for user, (first, rounds) in _spans(some).items()
        }
        for visit in some:
            first, block = blocks[visit.user]
            cut = _cut(block, visit.first - first, visit.rounds)
            runs[visit.user].play(visit, cut, met[visit.user].voice)


def _visits(job: Job, unit: Unit) -> list[Visit]:
    return visits_of(
        job.people, seed=job.seed, repeat=unit.repeat, rounds=job.rounds, arrivals=job.arrivals
    )


def _blocks(visits: list[Visit], size: int) -> Iterator[list[Visit]]:
    """Visits of at most so many rounds together; a longer one in pieces."""
    some: list[Visit] = []
    room = size
    for user, first, rounds in visits:
        end = first + rounds
        while first < end:
            taken = min(end - first, room)
            some.append(Visit(user, first, taken))
            first, room = first + taken, room - taken
            if not room:
                yield some
                some, room = [], size
    if some:
        yield some


def _spans(visits: list[Visit]) -> dict[int, tuple[int, int]]:
    """Of each person the rounds before, and the rounds within, these visits."""
    found: dict[int, tuple[int, int]] = {}
    for user, first, rounds in visits:
        begin, before = found.get(user, (first, 0))
        found[user] = begin, before + rounds
    return found


def _cut(block: Rounds, at: int, rounds: int) -> Rounds:
    """Some rounds of a block."""
    end, varies = at + rounds, len(block.offered) == block.best.size
    return Rounds(
        block.start[at : end + 1],
        block.pool,
        block.best[at:end],
        block.chance[at:end],
        block.offered[at:end] if varies else block.offered,
    )


class _Visited:
    """One person's compiled rounds, on a state that others have a part in."""

    def __init__(self, run: Looped, company: Company, person: int, rows: int) -> None:
        self.run, self.company, self.person, self.rows = run, company, person, rows

    def play(self, visit: Visit, block: Rounds, voice: Voice) -> None:
        """Some rounds, and what others learn of them."""
        run, belief = self.run, self.company.arrive(self.person)
        if run.work is None:
            run.make_room(block)
        run.state, notes = belief.state, self._notes(belief)
        asked = run.ready.algorithm.questions[visit.first : visit.first + visit.rounds]
        told = np.empty((visit.rounds + self.rows * int(asked.sum()), ABOUT + run.state.theta.size))
        bounds = {name: notes[name] for name in ("bounds", "term_bounds")}
        run.work = run.work._replace(told=told, **bounds)
        run.work.tally[DOUBT], run.work.tally[TOLD] = notes["doubt"], 0
        run.play(block, voice, visit.first)
        notes["doubt"] = run.work.tally[DOUBT]
        self._tell(told)
        self.company.closed(self.person, visit.rounds)

    def _notes(self, belief: Belief) -> dict[str, Any]:
        """Bounds of radii hold for as long as a group does: what is learned only shrinks them."""
        if not belief.notes:
            ready = self.run.ready
            first = {"bounds": ready.bounds.copy(), "term_bounds": ready.term_bounds.copy()}
            belief.notes.update(first, doubt=0)
        return belief.notes

    def _tell(self, told: Floats) -> None:
        run, pooled = self.run, self.company.pooled
        count = int(run.work.tally[TOLD])
        assert count <= len(told), "more was learned than there was room for"
        if not pooled and not told[:count, 0].any():
            return  # no answers
        for other in self.company.also(self.person, answer=True):
            learning = run.ready.functions, run.ready.algorithm.learning
            grown = relearn(*learning, told, count, int(not pooled), other.state, run.work.v)
            if grown and not pooled:  # the state decides for somebody
                self._notes(other)["doubt"] = 1

"""All of a fit: look at everybody, climb, calibrate answers, say what came out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import gammaincinv

from conlinucb.agent.priors.fitting import kernels
from conlinucb.agent.priors.fitting.calibration import (
    Calibration,
    answer_sums,
    calibrated,
    identity,
)
from conlinucb.agent.priors.fitting.em import Em, started
from conlinucb.agent.priors.fitting.held_out import FEWEST, divided, judged
from conlinucb.agent.priors.fitting.parts import Held, Part, Spread
from conlinucb.agent.priors.fitting.rule import Rule, rule_of, special_columns
from conlinucb.agent.priors.fitting.scan import SAMPLE, Scan, scan
from conlinucb.agent.priors.fitting.settings import Settings
from conlinucb.agent.priors.fitting.step import first_belief, uncertainty
from conlinucb.agent.priors.fitting.store import Store
from conlinucb.agent.priors.fitting.sums import (
    Belief,
    Limits,
    Meaning,
    Sums,
    in_chunks,
    sum_events,
    total,
)
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.validation import Floats

logger = logging.getLogger("conlinucb")

MANY_CLIPPED = 0.01
"""Share of all values beyond which those outside the range are pointed out."""
QUANTILE = 0.999
"""A person's mean farther out than this share of people would be is cut to it."""

SCALING = 10
"""Rounds of the first stage in which the target's scales follow people."""
HARDER, PULLS = 4.0, 5
"""Where the pull is not stated, each of at most so many tried is so many times the one before."""
GAIN = 3e-3
"""Log-likelihood an event of people held out that a harder pull must gain to be taken. What people
have in common is little of an event's likelihood, and much of which item is best."""


@dataclass(frozen=True)
class Fitted:
    """What a fit found."""

    mean: Floats
    covariance: Floats
    noise: float
    people: int
    answers: Calibration
    summary: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Fit:
    """One fit, from parts of feedback to a population."""

    catalog: Catalog
    parts: Sequence[Part]
    settings: Settings
    threads: int
    spread: Spread[Any]
    store: Store
    passed: Callable[[int], None]
    """Told how many people were passed over."""

    def run(self) -> Fitted:
        """Rewards first; then answers, in the light of rewards; then both."""
        seen = scan(self.parts, len(self.catalog), self.spread)
        point_out_clipped(seen, self.settings.range)
        rule = beginning(self.catalog, self.settings, seen)
        if seen.people < max(self.settings.least, 1):
            return self._nothing_learned(rule, seen)
        self.store.call |= {"feedback": seen.fingerprint}
        self.store.read()
        meaning = rewards_only(self.catalog)
        belief, sums, judgement = self._rewards(seen, rule, meaning)
        answers = self._calibration(belief, meaning, seen)
        if seen.answers and self.settings.answers:
            both = with_answers(meaning, answers, belief.noise)
            pull = judgement["pull"]
            belief, sums = self._climb("answers", self.parts, rule, both, belief, pull, noise=False)
        found = summary(seen, belief, sums, answers, self.store) | judgement
        covariance = certain(belief, sums, rule).covariance
        return Fitted(belief.mean, covariance, belief.noise, seen.people, answers, found)

    def _rewards(
        self, seen: Scan, rule: Rule, meaning: Meaning
    ) -> tuple[Belief, Sums, dict[str, Any]]:
        """Fit some, judge by those held out, then go on with all."""
        belief, judgement = first_belief(rule), {"pull": self._least_pull()}
        many = seen.rewarding > SAMPLE
        if self.settings.held_out and seen.rewarding >= FEWEST:
            belief, judgement = self._judged(seen, rule, meaning)
        elif many:
            held = [Held(seen.sample)]
            belief, _ = self._climb("some", held, rule, meaning, belief, judgement["pull"])
        if not seen.rewarding:
            return belief, total([], self.catalog.d), judgement
        everybody: Sequence[Part] = self.parts if many else [Held(seen.sample)]
        belief, sums = self._climb("all", everybody, rule, meaning, belief, judgement["pull"])
        return belief, sums, judgement

    def _judged(self, seen: Scan, rule: Rule, meaning: Meaning) -> tuple[Belief, dict[str, Any]]:
        """The fit that people held out find likeliest, held ever harder as long as that gains."""
        some, others = divided(seen.sample)
        pulls = [self._least_pull() * HARDER**k for k in range(PULLS)]
        if self.settings.pull is not None:
            pulls = pulls[:1]
        best, told = first_belief(rule), dict[str, Any]()
        for pull in pulls:
            stage, start = f"some, pull {pull:g}", first_belief(rule)
            belief, sums = self._climb(stage, [Held(some)], rule, meaning, start, pull, first=True)
            found = judged(certain(belief, sums, rule), meaning, self.settings.cap, others)
            if told and not _likelihood(found) - _likelihood(told) >= GAIN:
                break
            best, told = belief, found | {"pull": pull}
        return best, told

    def _least_pull(self) -> float:
        """The pull as stated, or the least with which the target is a mean."""
        return self.catalog.d + 2.0 if self.settings.pull is None else self.settings.pull

    def _climb(
        self,
        stage: str,
        parts: Sequence[Part],
        rule: Rule,
        meaning: Meaning,
        belief: Belief,
        pull: float,
        *,
        first: bool = False,
        noise: bool = True,
    ) -> tuple[Belief, Sums]:
        """EM over these parts, from where an earlier run of the same call left it."""
        settings = self.settings
        sums = partial(self._pass, parts, meaning)
        note = partial(self.store.note, stage)
        scaling = SCALING if first or not set(self.store.climbs) - {stage} else 0
        em = Em(sums, rule, pull, settings.tolerance, settings.rounds, noise, scaling, note)
        climb, found = em.run(self.store.climbs.get(stage, started(belief)))
        self.store.climbs[stage] = climb
        return climb.belief, found

    def _pass(self, parts: Sequence[Part], meaning: Meaning, belief: Belief) -> Sums:
        limits = Limits(self.settings.cap, 2.0 * float(gammaincinv(self.catalog.d / 2, QUANTILE)))
        work = partial(sum_part, belief, meaning, limits, self.threads)
        here = all(isinstance(part, Held) for part in parts)
        found = total((map if here else self.spread)(work, parts), self.catalog.d)
        self.passed(int(found.people))
        return found

    def calibration(self, belief: Belief) -> Calibration:
        """How answers relate to rewards, where the prior is known."""
        seen = scan(self.parts, len(self.catalog), self.spread)
        return self._calibration(belief, rewards_only(self.catalog), seen)

    def _calibration(self, belief: Belief, meaning: Meaning, seen: Scan) -> Calibration:
        terms = self.catalog.terms
        if not seen.asked:
            return identity(len(terms), belief.noise)
        sizes = (len(self.catalog), len(terms))
        work = partial(answers_part, belief, meaning, self.settings.cap, *sizes, self.threads)
        found = np.zeros((len(terms), 9))
        for each in self.spread(work, self.parts):
            found = found + each
        self.passed(seen.people)
        return calibrated(found, belief, terms)

    def _nothing_learned(self, rule: Rule, seen: Scan) -> Fitted:
        """The stated beginning."""
        answers = identity(len(self.catalog.term_ids), rule.noise)
        belief = first_belief(rule)
        found = summary(seen, belief, total([], rule.mean.size), answers, self.store)
        return Fitted(
            rule.mean, np.diag(rule.variances), rule.noise, 0, answers, found | {"people": 0}
        )


def _likelihood(told: dict[str, Any]) -> float:
    """Of people held out, before any event and after half of them; NaN where they tell nothing."""
    names = "held_out_likelihood", "held_out_likelihood_before"
    return float(np.mean([told.get(name, np.nan) for name in names]))


def sum_part(belief: Belief, meaning: Meaning, limits: Limits, threads: int, part: Part) -> Sums:
    """A pass over one part."""
    return sum_events(belief, meaning, limits, threads, part.events())


def answers_part(
    belief: Belief, meaning: Meaning, cap: float, arms: int, terms: int, threads: int, part: Part
) -> Floats:
    """What calibration needs of one part."""
    work = partial(answer_sums, belief, meaning, cap, arms, terms)
    found = np.zeros((terms, 9))
    for each in in_chunks(work, part.events(), threads):
        found = found + each
    return found


def certain(belief: Belief, sums: Sums, rule: Rule) -> Belief:
    """The belief of a newcomer: people differ, and their mean is not known exactly."""
    covariance = belief.covariance + uncertainty(belief, sums, rule)
    return belief._replace(covariance=0.5 * (covariance + covariance.T))


def beginning(catalog: Catalog, settings: Settings, seen: Scan) -> Rule:
    """The rule, with the range of the rewards themselves where none is stated.

    Then half of their variance is taken for noise, half for what is to be learned.
    """
    if settings.range is not None:
        low, high = settings.range
        return rule_of(catalog, low, high - low, settings.base)
    if not seen.rewarding:
        return rule_of(catalog, 0.0, 1.0, settings.base)
    mean = float(seen.values[0] / seen.rewarding)
    variance = float(seen.values[1] / seen.rewarding) - mean**2
    variance = max(variance, (1e-3 * float(seen.values[2])) ** 2, 1e-12)
    width = 4.0 * np.sqrt(0.5 * variance)
    return rule_of(catalog, mean - settings.base * width, width, settings.base, 0.5 * variance)


def rewards_only(catalog: Catalog) -> Meaning:
    """Rewards as they are, answers not at all."""
    features = np.concatenate([catalog.arms, catalog.terms])
    arms = np.arange(len(features)) < len(catalog)
    column = special_columns(catalog)[1]
    zeros, ones = np.zeros(len(features)), np.ones(len(features))
    return Meaning(features, zeros, ones, arms.astype(np.float64), column or 0)


def with_answers(meaning: Meaning, answers: Calibration, noise: float) -> Meaning:
    """Rewards as they are, answers as they were calibrated."""
    arms = len(meaning.weight) - answers.offsets.size
    offset, slope, weight = meaning.offset.copy(), meaning.slope.copy(), meaning.weight.copy()
    offset[arms:], slope[arms:] = answers.offsets, answers.slope
    weight[arms:] = answers.weights(answers.noises, noise)
    return meaning._replace(offset=offset, slope=slope, weight=weight)


def point_out_clipped(seen: Scan, allowed: tuple[float, float] | None) -> None:
    """Stars from 1 to 5, read as from 0 to 1, are all the same: that must not pass in silence."""
    values = seen.rewards + seen.answers
    if allowed is not None and seen.clipped > MANY_CLIPPED * values:
        logger.warning(
            "%s of %s values lie outside range=(%g, %g) and are taken for its nearer end; if they "
            "may be larger or smaller, say so, such as range=(1, 5).",
            f"{seen.clipped:,}", f"{values:,}", *allowed,
        )  # fmt: skip


def summary(
    seen: Scan, belief: Belief, sums: Sums, answers: Calibration, store: Store
) -> dict[str, Any]:
    """What a fit saw and how it went, as plain numbers."""
    last = list(store.climbs.values())[-1] if store.climbs else None
    return {
        "people": seen.people,
        "events": seen.rewards,
        "answers": seen.answers,
        "skipped": seen.skipped,
        "clipped": seen.clipped,
        "cut": int(sums.tally[kernels.CLIPPED]),
        "noise": belief.noise,
        "slope": answers.slope,
        "offset": answers.offset,
        "answer_noise": answers.noise,
        "chance": answers.chance,
        "rounds": sum(each.rounds for each in store.climbs.values()),
        "converged": last is None or last.converged,
        "history": {name: list(each.likelihoods) for name, each in store.climbs.items()},
    }

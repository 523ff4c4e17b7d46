"""What is believed of key-terms, on the scale of answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conlinucb.agent.estimators import Estimator
from conlinucb.agent.priors import Answers, scale_of
from conlinucb.agent.question import Question, question_about
from conlinucb.agent.user import User
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.validation import Floats


@dataclass(frozen=True, eq=False)
class TermEstimates:
    """What is believed of every key-term, (K,) each."""

    means: Floats
    """Expected answers: x~'theta, on the scale of answers where the prior knows it."""
    radii: Floats
    """Standard deviations of the belief that answers bear on, in units of answers; ConUCB's are
    those of theta~."""


def term_estimates(
    catalog: Catalog, estimator: Estimator, answers: Answers, user: User
) -> TermEstimates:
    """Of every key-term, asked about or not."""
    terms = catalog._terms
    cov = estimator.term_belief(user.state, user.rounds + 1, 0).cov
    squares = np.einsum("kd,kd->k", terms @ cov, terms)
    means = answers.offset + answers.slope * (terms @ user.state.theta)
    return TermEstimates(means, answers.slope * np.sqrt(estimator.noise * squares.clip(0.0)))


def expected_answer(
    catalog: Catalog, estimator: Estimator, answers: Answers, user: User, question: Question
) -> tuple[float, float]:
    """The answer expected to a question, and its standard deviation."""
    belief = estimator.term_belief(user.state, user.rounds + 1, 0)
    about = question.kind, question.indices, question.number, question.round
    probe = question_about(catalog, *about).probe
    radius = np.sqrt(estimator.noise * max(float(probe @ belief.cov @ probe), 0.0))
    scale = scale_of(answers, question.kind, question.indices)
    return scale.expected(float(probe @ user.state.theta)), scale.slope * float(radius)

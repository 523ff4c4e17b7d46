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
    """Expected answers: x~'theta, or its chance, on the scale of answers where the prior knows
    it."""
    radii: Floats
    """Standard deviations of the belief that answers bear on, in units of answers; ConUCB's are
    those of theta~."""


def term_estimates(
    catalog: Catalog, estimator: Estimator, answers: Answers, user: User
) -> TermEstimates:
    """Of every key-term, asked about or not."""
    terms = catalog._terms
    cov = estimator.term_belief(user.state, user.rounds + 1, 0).cov
    squares = np.einsum("kd,kd->k", terms @ cov, terms).clip(0.0)
    means = terms @ user.state.theta
    return TermEstimates(
        answers.offset + answers.slope * estimator.expected(means),
        answers.slope * estimator.deviations(means, squares),
    )


def expected_answer(
    catalog: Catalog, estimator: Estimator, answers: Answers, user: User, question: Question
) -> tuple[float, float]:
    """The answer expected to a question, and its standard deviation."""
    belief = estimator.term_belief(user.state, user.rounds + 1, 0)
    about = question.kind, question.indices, question.number, question.round
    probe = question_about(catalog, *about).probe
    mean, square = np.array([probe @ user.state.theta]), np.array([probe @ belief.cov @ probe])
    scale = scale_of(answers, question.kind, question.indices, estimator.pairs)
    deviation = float(estimator.deviations(mean, square.clip(0.0))[0])
    return scale.expected(float(estimator.expected(mean)[0])), scale.slope * deviation

"""A search space: a recipe, what is fixed of it, and the ranges of what is not."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from conlinucb.agent.describe import plain
from conlinucb.agent.spec import called, only
from conlinucb.errors import ConlinucbError, InvalidInput
from conlinucb.simulation.job import describe, fingerprint_of
from conlinucb.simulation.own_rounds import AnyAgent, is_agent
from conlinucb.simulation.ranges import Log, Logit, Numbers, Range

Point = dict[str, Any]

USUAL: dict[str, Numbers] = {
    "alpha": Log(0.003, 3.0),
    "term_alpha": Log(0.003, 3.0),
    "mix": Logit(0.0909091, 0.999001),
    "term_beta": Log(0.001, 10.0),
    "beta": Log(0.001, 10.0),
}
"""The ranges that come with the recipes. ConUCB's (1 - mix) / mix is to its arms what ``beta`` is
to a ridge, and covers the same."""
OF_A_PRIOR = ("beta", "term_beta")
"""What a prior takes the place of."""


class Space:
    """What may be tried of a recipe, or of a function of your own that returns an agent.

    Arguments that are ranges are searched: ``Log``, ``Uniform``, ``Logit``, ``Whole``, ``Choice``.
    All others are passed on as they are. Without any range those that come with the recipes are
    searched: alpha, beta, term_alpha, mix and term_beta, as far as the recipe has them. The search
    begins with ``first``, by default the recipe's own defaults, and in the middle of a range that
    does not hold them.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
    >>> space = cl.Space(cl.conlinucb, catalog, strategy="max-radius", alpha=cl.Log(0.01, 1.0))
    >>> space
    Space(conlinucb, alpha=Log(0.01, 1))
    >>> space.first
    {'alpha': 0.1}
    >>> cl.Space(cl.linucb, catalog).ranges
    {'alpha': Log(0.003, 3), 'beta': Log(0.001, 10)}
    """

    def __init__(
        self,
        recipe: Callable[..., AnyAgent],
        /,
        *given: Any,
        first: Mapping[str, Any] | None = None,
        **parameters: Any,
    ) -> None:
        if not callable(recipe):
            raise InvalidInput(
                f"A space is of a recipe, such as conlinucb, or of a function that returns an "
                f"agent, got {recipe!r}."
            )
        self.recipe, self.given = recipe, given
        self.name = getattr(recipe, "__name__", type(recipe).__name__)
        self.fixed = {k: v for k, v in parameters.items() if not isinstance(v, Range)}
        named = {k: v for k, v in parameters.items() if isinstance(v, Range)}
        self.ranges: dict[str, Range] = named or self._usual()
        if not self.ranges:
            raise InvalidInput(
                f"The space of {self.name} has nothing to search: give a parameter a range, such "
                f"as alpha=Log(0.003, 3.0), or pass the agent itself."
            )
        self.first = self._first({} if first is None else first)
        self.agent(self.first)  # a misspelt name is refused here, not after an hour

    def agent(self, point: Point) -> AnyAgent:
        """The agent at a point."""
        where = f"{self.name} at {point}"
        try:
            made = called(where, self.recipe, *self.given, **self.fixed, **point)
        except ConlinucbError:
            raise
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"{where} makes no agent: {error}") from error
        if not is_agent(made):
            raise InvalidInput(f"{where} must return an Agent, got {made!r}.")
        agent: AnyAgent = made
        return agent

    def at_edge(self, point: Point) -> list[str]:
        """Parameters that lie at an end of their range, where a wider one might do better."""
        return [name for name, value in point.items() if self.ranges[name].at_edge(value)]

    def describe(self, rounds: int) -> dict[str, Any]:
        """What decides the trials, as plain values: part of what a stored search must agree on."""
        return {
            "recipe": fingerprint_of(self.recipe),
            "ranges": {name: repr(each) for name, each in self.ranges.items()},
            "first": {name: plain(value) for name, value in self.first.items()},
            "agent": describe(self.agent(self.first), rounds),
        }

    def _usual(self) -> dict[str, Range]:
        known = inspect.signature(self.recipe).parameters
        without = set(self.fixed) | (
            set(OF_A_PRIOR) if self.fixed.get("prior") is not None else set()
        )
        return {k: each for k, each in USUAL.items() if k in known and k not in without}

    def _first(self, given: Mapping[str, Any]) -> Point:
        only(given, tuple(self.ranges), "first")
        for name, value in given.items():
            if not self.ranges[name].holds(value):
                raise InvalidInput(
                    f"first has {name} {value!r}, which is not in {self.ranges[name]!r}."
                )
        usual = self._defaults()
        rest = {
            name: usual[name] if each.holds(usual.get(name)) else each.value(0.5)
            for name, each in self.ranges.items()
            if name not in given
        }
        return {**given, **rest}

    def _defaults(self) -> Point:
        """Defaults of the signature; where they are None, what the agent then has."""
        known = inspect.signature(self.recipe).parameters
        stated = {name: known[name].default for name in self.ranges if name in known}
        if None not in stated.values():
            return stated
        try:
            made = self.recipe(*self.given, **self.fixed).parameters()
        except (TypeError, ValueError):
            return stated
        return {name: made.get(name) if value is None else value for name, value in stated.items()}

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={each!r}" for name, each in self.ranges.items())
        return f"Space({self.name}, {inside})"

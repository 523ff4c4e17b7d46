"""A comparison of one's own in words: each agent, the people, the data, one short text each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from conlinucb.experiments.outcome import Outcome

ESTIMATES = {
    "ridge": "one ridge estimate",
    "two-step": "an estimate in two steps",
    "logistic": "one logistic estimate",
    "hcb": "a ridge estimate for each depth of a tree of items and one for the items",
    "phcb": "a ridge estimate for the open nodes of a tree of items and one for the items",
}
PARTS = ("agent", "estimator", "strategy", "schedule", "select", "prior", "questions")
"""Of an agent's description, what is no parameter of the estimate."""
LINEAR = "rewards and answers linear in each user's taste"
KINDS = {
    "LinearUsers": LINEAR,
    "ClickUsers": "rewards that are clicks, with a chance that grows with taste",
    "LoggedPeople": "rewards and answers as a log has them",
}


def parameters(given: Mapping[str, Any], eq_8: str = "Eq. 8") -> str:
    """The numbers of an agent's estimate, and what else defines it; ``eq_8`` names TheoryAlpha.

    >>> parameters({"estimator": "ridge", "beta": 0.15, "alpha": "TheoryAlpha(delta=0.05)"})
    'beta 0.15, alpha by Eq. 8 (delta 0.05)'
    """
    shown = {name: value for name, value in given.items() if name not in PARTS}
    return ", ".join(_parameter(name, value, eq_8) for name, value in shown.items())


def _parameter(name: str, value: Any, eq_8: str) -> str:
    theory = re.fullmatch(r"TheoryAlpha\((\w+)=(.*)\)", value) if isinstance(value, str) else None
    if theory:
        return f"{name} by {eq_8} ({theory[1]} {theory[2]})"
    number = isinstance(value, int | float) and not isinstance(value, bool)
    words = name.replace("strategy_", "the strategy's ")
    return f"{words} {value:.4g}" if number else f"{words} {value}"


def estimate(given: Mapping[str, Any]) -> str:
    """What an agent learns with."""
    name = str(given.get("estimator"))
    return ESTIMATES.get(name, f"the estimator {name}")


def prior(given: Mapping[str, Any]) -> str:
    """Where a belief starts: the prior with its digest, or at 0.

    >>> prior({"prior": "population 5f07eef034c5a21f"}), prior({"beta": 1.0})
    ('population 5f07eef034c5a21f', 'none (at 0)')
    """
    return str(given.get("prior", "none (at 0)"))


def asks(given: Mapping[str, Any]) -> str:
    """What questions are about, and who chooses them."""
    strategy = given.get("strategy")
    if strategy is None:
        return "nothing"
    return "items" if strategy == "arm" else f"key-terms, by {strategy}"


def schedule(given: Mapping[str, Any]) -> str:
    """When questions are asked.

    >>> schedule({"schedule": "Every(zero_based=False, n=10)"})
    'one every 10 rounds'
    >>> schedule({"schedule": "Logarithmic(zero_based=False, f=5)"})
    '5 floor(ln(t + 1)) by round t'
    """
    told = str(given.get("schedule"))
    found = re.fullmatch(r"(\w+)\((.*)\)", told)
    if found is None or found[1] not in _SCHEDULES:
        return told
    options = dict(re.findall(r"(\w+)=([^,]+)", found[2]))
    rounds = "t - 1" if options.get("zero_based") == "True" else "t"
    return _SCHEDULES[found[1]].format(t=rounds, **options)


_SCHEDULES = {
    "Never": "never",
    "Logarithmic": "{f} floor(ln({t} + 1)) by round t",
    "Linear": "{b} ({t}) by round t",
    "Every": "one every {n} rounds",
    "WhenWorth": "while one is worth more than {cost} of reward, at most {most} a round",
    "WhereThin": "where less than {c} a round is known, checked every {every}, at most {most} each",
}


def people(outcome: Outcome) -> dict[str, str]:
    """Who was met, and how: one line for each thing that was decided."""
    given = who(outcome)
    offered = given.get("offered_size")
    lines = {
        "Users": f"{outcome.users:,}, with {kind(outcome)}",
        "Tastes": tastes(outcome),
        "Pool": f"{pool(outcome)}, drawn anew in each round" if pool(outcome) else "",
        "Key-terms offered": "all" if offered is None else f"{offered:,}, drawn anew in each round",
        "Noise": "; ".join(noise(outcome)),
        "Answers": "; ".join(answer_changes(outcome)),
    }
    return {name: line for name, line in lines.items() if line}


def who(outcome: Outcome) -> dict[str, Any]:
    """The people's parameters, as the run kept them."""
    return dict(outcome.spec.get("people", {}))


def kind(outcome: Outcome) -> str:
    """How rewards and answers come about."""
    name = str(who(outcome).get("people", "LinearUsers"))
    return KINDS.get(name, f"rewards and answers of the class {name}")


def tastes(outcome: Outcome) -> str:
    """Where the users' tastes come from, where that was kept."""
    return str(outcome.data.get("tastes", ""))


def pool(outcome: Outcome) -> str:
    """What is recommended from in a round."""
    given = who(outcome)
    size, own = given.get("pool_size"), given.get("own")
    if size is None:
        return ""
    if given.get("people") != "LoggedPeople":
        return f"{size:,} items"
    if own is None:
        return f"up to {size:,} of the items that the log has of the user"
    return f"{size:,} items, up to {own:,} of them from the user's part of the log"


def noise(outcome: Outcome) -> list[str]:
    """Standard deviations, where there are any."""
    given = who(outcome)
    if "term_noise" not in given:
        return []
    rewards = [] if given.get("link") else [f"rewards with Gaussian noise of sd {given['noise']:g}"]
    shared = ", one draw a round for all its answers" if given.get("shared_noise") else ""
    return [*rewards, f"answers with Gaussian noise of sd {given['term_noise']:g}{shared}"]


def answer_changes(outcome: Outcome) -> list[str]:
    """What people do to answers, in the order in which they do it."""
    return [
        _ANSWER_CHANGES[name.split(" ")[0]].format(*(f"{each:g}" for each in numbers))
        for name, numbers in who(outcome).items()
        if name.split(" ")[0] in _ANSWER_CHANGES
    ]


_ANSWER_CHANGES = {
    "YesNo": "an answer is yes ({1}) from {0} on, else no ({2})",
    "Refuses": "a question stays without an answer with probability {0}",
    "Lies": "an answer is turned into its opposite with probability {0}",
}


def data(outcome: Outcome) -> dict[str, str]:
    """What was recommended from."""
    version = outcome.spec.get("catalog", "not kept")
    return {"Data": source(outcome), "Catalogue": f"{sizes(outcome)}; version {version}"}


def sizes(outcome: Outcome) -> str:
    """How much there is in the catalogue."""
    given = outcome.data
    there = {name: words for name, words in _SIZES.items() if isinstance(given.get(name), int)}
    return ", ".join(f"{given[name]:,} {words}" for name, words in there.items())


def source(outcome: Outcome) -> str:
    """Where items and key-terms come from, with the options that were given."""
    given = outcome.data
    options = {k: v for k, v in given.items() if k not in (*_SIZES, *_NAMES, "tastes")}
    told = f" ({', '.join(f'{k} {v}' for k, v in options.items())})" if options else ""
    if "name" in given:
        return f"the data set {given['name']}{told}"
    if "catalog" in given:
        return f"the catalogue {given['catalog']}"
    log = f"the log {given['log']} and " if "log" in given else ""
    return f"{log}the table of tags {given.get('tags')}{told}"


_NAMES = ("name", "catalog", "tags", "log")
_SIZES = {"arms": "items", "key-terms": "key-terms", "features": "features"}


def versions(outcome: Outcome) -> str:
    """With what it was computed."""
    return ", ".join(f"{name} {value}" for name, value in outcome.versions.items())

"""A text for the methods section of a paper, from what a comparison of one's own has kept."""

from __future__ import annotations

from dataclasses import dataclass

from conlinucb.experiments import facts
from conlinucb.experiments.citations import CONLINUCB, Reference, package, sources, unique
from conlinucb.experiments.outcome import AgentOutcome, Outcome

METHODS = "methods.md"
"""The file with the text, beside a report."""


@dataclass(frozen=True)
class Methods:
    """Paragraphs of plain sentences, and what they cite by number."""

    short: str
    """The first sentences."""
    paragraphs: tuple[str, ...]
    references: tuple[Reference, ...]

    @property
    def listed(self) -> list[str]:
        """The references, numbered as the text has them."""
        return [f"[{i}] {each.text}" for i, each in enumerate(self.references, 1)]


def methods(outcome: Outcome) -> Methods:
    """The text, which says nothing that was not run."""
    cited = references(outcome)
    agents = [_agent(outcome, name, cited) for name in outcome.agents]
    setup = _setup(outcome)
    told = " ".join(setup), " ".join(agents), _measured(outcome)
    return Methods(" ".join(setup[:2]), told, cited)


def references(outcome: Outcome) -> tuple[Reference, ...]:
    """The package first, then the algorithms' sources in the agents' order."""
    used = (
        each
        for name, agent in outcome.agents.items()
        for each in sources(outcome.recipe(name), agent.parameters)
    )
    return unique((package(outcome.versions.get("conlinucb", "")), *used))


def _setup(outcome: Outcome) -> list[str]:
    """What was compared, on what, with whom, sentence by sentence."""
    count = _count(len(outcome.agents), "agent")
    version = outcome.spec.get("catalog")
    return [
        f"We compared {count} ({_listed(list(outcome.agents))}) {_where(outcome)} with conlinucb "
        f"{outcome.versions.get('conlinucb', '')} [1].",
        f"Items and key-terms came from {facts.source(outcome)}: {facts.sizes(outcome)} (version "
        f"{version} of the catalogue).",
        f"There were {_count(outcome.users, 'user')}, with {facts.kind(outcome)}.",
        *_tastes(outcome),
        *_round(outcome),
        *(f"{_capital(each)}." for each in facts.answer_changes(outcome)),
        f"Every agent met every user {_count(outcome.runs, 'time')}, with other chance each time; "
        f"all agents met the same {_shared(outcome)} (seed {outcome.seed}).",
    ]


def _where(outcome: Outcome) -> str:
    logged = facts.who(outcome).get("people") == "LoggedPeople"
    return "on people of a log" if logged else "in simulation"


def _shared(outcome: Outcome) -> str:
    return "pools and the same noise" if facts.noise(outcome) else "pools"


def _tastes(outcome: Outcome) -> list[str]:
    found = facts.tastes(outcome)
    return [f"Their tastes were {found}."] if found else []


def _round(outcome: Outcome) -> list[str]:
    pool, offered = facts.pool(outcome), facts.who(outcome).get("offered_size")
    among = f", one of {pool}, drawn anew each time" if pool else ""
    terms = "" if offered is None else f"; questions could be about {offered:,} key-terms of a draw"
    noise = facts.noise(outcome)
    return [
        f"In each of {_count(outcome.rounds, 'round')} an item was recommended{among}{terms}.",
        *([f"{_capital(' and '.join(noise))} were observed."] if noise else []),
    ]


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _agent(outcome: Outcome, name: str, cited: tuple[Reference, ...]) -> str:
    """One agent: what it is, what it learns with, what it asks and when."""
    agent = outcome.agents[name]
    given, recipe = agent.parameters, outcome.recipe(name)
    numbers = sorted(cited.index(each) + 1 for each in sources(recipe, given))
    marks = f" [{', '.join(map(str, numbers))}]" if numbers else ""
    made = f" (recipe {recipe}{marks})" if recipe else marks
    eq_8 = f"Eq. 8 of [{cited.index(CONLINUCB) + 1}]" if CONLINUCB in cited else ""
    told = facts.parameters(given, eq_8)
    start = f", starting from the prior {given['prior']}," if "prior" in given else ""
    select = f" It selected by {given['select']}." if "select" in given else ""
    learned = f"learned with {facts.estimate(given)}{f' ({told})' if told else ''}{start}"
    return f"{name}{made} {learned} and {_asked(agent)}.{select}"


def _asked(agent: AgentOutcome) -> str:
    given, questions = agent.parameters, agent.last.questions
    if given.get("strategy") is None or not questions:
        return "asked nothing"
    about = facts.asks(given).replace(", by ", " chosen by the strategy ")
    return f"asked about {about}, {facts.schedule(given)} ({questions:.4g} questions a user)"


def _measured(outcome: Outcome) -> str:
    baseline = outcome.compared_with
    several = "each user's repetitions averaged first" if outcome.runs > 1 else "one run of each"
    told = (
        "Regret is what the best item of a round's pool is worth to the user, less what the "
        "recommended one is, summed over rounds. We report means over users with 95 % intervals "
        f"(Student's t over {outcome.users:,} users, {several})"
    )
    if len(outcome.agents) < 2 or baseline not in outcome.agents:
        return f"{told}."
    return (
        f"{told}, and the improvement over {baseline}, 1 - regret / regret of {baseline}, paired "
        f"over users, with an interval by linearisation{_together(outcome)}."
    )


def _together(outcome: Outcome) -> str:
    if (count := outcome.together) == 1:
        return ""
    each = f"{100 * (1 - 0.05 / count):.4g} % each"
    return f"; the {count} intervals hold together at 95 % (Bonferroni: {each})"


def _listed(names: list[str]) -> str:
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]


def _count(number: int, name: str) -> str:
    return f"{number:,} {name if number == 1 else name + 's'}"


def methods_page(outcomes: list[Outcome]) -> str:
    """Markdown for ``methods.md``: text, references and BibTeX of each comparison."""
    return "\n".join(_page(each) for each in outcomes)


def _page(outcome: Outcome) -> str:
    made = methods(outcome)
    entries = "\n\n".join(each.bibtex for each in made.references)
    told = "\n\n".join(made.paragraphs)
    return (
        f"# {outcome.headed('Text for a methods section')}\n\n{told}\n\nRun with "
        f"`{outcome.command}`; {facts.versions(outcome)}.\n\n## References\n\n"
        + "\n".join(f"{each}  " for each in made.listed)
        + f"\n\n```bibtex\n{entries}\n```\n"
    )

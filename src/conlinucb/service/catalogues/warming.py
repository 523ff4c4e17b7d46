"""What the first person would otherwise wait for: kernels are compiled when they are first used."""

from __future__ import annotations

from conlinucb.service.catalogues.version import CatalogueVersion

ROUNDS = 2
"""Questions about several topics come in every other round."""


def warm_up(version: CatalogueVersion) -> None:
    """Hold a short conversation with nobody, of every verb that people use."""
    agent, items = version.agent, len(version.catalog.live_arms)
    middle = sum(version.settings.range) / 2
    user = agent.new_user()
    for _ in range(ROUNDS if items else 0):
        question = agent.ask(user)
        if question is not None:
            agent.hear(user, question, [] if question.kind == "group" else middle)
        advice = agent.recommend(user, k=min(2, items))
        agent.learn(user, int(advice.arms[0]), middle)
    agent.estimates(user)

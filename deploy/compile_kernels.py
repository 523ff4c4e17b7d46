"""Compile what the service needs, into the folder that NUMBA_CACHE_DIR names."""

from __future__ import annotations

import conlinucb as cl

catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
for recipe in (cl.for_newcomers, cl.conlinucb, cl.conucb, cl.logistic, cl.arm_con, cl.linucb):
    agent = recipe(catalog)
    user = agent.new_user()
    question = agent.ask(user)
    if question is not None:
        agent.hear(user, question, 0.5)
    agent.learn(user, int(agent.recommend(user, k=2).arms[0]), 0.5)
    agent.estimates(user)

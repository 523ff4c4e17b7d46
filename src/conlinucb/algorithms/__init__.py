"""Algorithms whose rounds are their own: agents to ``simulate`` and ``tune``, by hand and compiled.

Each is a package of one reason to change. What all of them must have is said in
``conlinucb.simulation.own_rounds``, and ``conlinucb.checks.check_agent`` checks it.
"""

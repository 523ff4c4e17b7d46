"""Agents: what is believed of a person, what to ask and what to recommend."""

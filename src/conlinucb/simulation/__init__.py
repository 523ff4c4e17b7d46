"""Many agents, the same people, the same chance: from agents and people to results."""

"""What /metrics reports, from the service's own table."""

from __future__ import annotations

from conlinucb.service.http.metrics import ALL, full_name

HEAD = """# Metrics

What `/metrics` of the service reports, for Prometheus. Which of them to watch, and what to do when
one is high, is told in [Operations](../operations.md).

| metric | kind | labels | what it is |
|---|---|---|---|
"""


def page() -> str:
    """A row for each."""
    rows = []
    for name, each in ALL.items():
        labels = ", ".join(f"`{label}`" for label in each.labels)
        told = each.text.replace("|", "\\|").replace("\n", " ")
        rows.append(f"| `{full_name(name)}` | {each.kind} | {labels} | {told} |\n")
    return HEAD + "".join(rows)

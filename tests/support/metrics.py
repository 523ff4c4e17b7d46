"""What /metrics says, read by the library's own parser."""

from __future__ import annotations

import httpx2 as httpx
from prometheus_client.parser import text_string_to_metric_families

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples_of(text: str) -> Samples:
    """Every value by its name and its labels."""
    return {
        (each.name, tuple(sorted(each.labels.items()))): each.value
        for family in text_string_to_metric_families(text)
        for each in family.samples
    }


def metrics_of(client: httpx.Client) -> Samples:
    """All that a service tells now."""
    response = client.get("/metrics")
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/plain; version=")
    return samples_of(response.text)


def value(found: Samples, name: str, **labels: str) -> float:
    """The sum of all values of a name that have these labels; 0 where there is none."""
    wanted = labels.items()
    return sum(each for (one, has), each in found.items() if one == name and wanted <= set(has))

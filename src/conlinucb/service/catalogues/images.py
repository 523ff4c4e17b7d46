"""Pictures of items come from this service's own origin or from hosts that it was told of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from conlinucb.errors import InvalidInput
from conlinucb.service.schemas import image_host


def check_images(details: Mapping[str, Mapping[str, Any]], hosts: Collection[str]) -> None:
    """Refuse pictures from where browsers may not load them; ``details`` by item."""
    for item, each in details.items():
        host = image_host(each["image"]) if "image" in each else ""
        if host == "":
            continue
        if host is None or host not in hosts:
            known = ", ".join(sorted(hosts)) or "empty"
            raise InvalidInput(
                f"The image of {item!r} is {each['image'][:100]!r}, whose host is not in "
                f"image_hosts of the configuration ({known}). Name the host there, or use a path "
                f"on this origin."
            )

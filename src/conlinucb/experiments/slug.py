"""Words as a file may be called."""

from __future__ import annotations

import re


def slug(*parts: str) -> str:
    """Words joined as a file may be called.

    >>> slug("paper", "1a", "Eq. 8")
    'paper-1a-eq-8'
    """
    return "-".join(re.sub(r"[^a-z0-9]+", "-", p.lower()).strip("-") for p in parts if p)

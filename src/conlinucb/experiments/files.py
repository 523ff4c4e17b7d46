"""JSON files that are there whole or not at all."""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path
from typing import Any

from conlinucb.errors import IncompatibleState


def write_json(path: Path, content: dict[str, Any]) -> dict[str, Any]:
    """Write, and return what reading will give."""
    text = json.dumps(content, indent=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}-{uuid.uuid4().hex}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
    return dict(json.loads(text))


def read_json(path: Path) -> dict[str, Any] | None:
    """What was written, or None; a file that is no JSON is refused."""
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise IncompatibleState(f"{path} is damaged: {error!r}. Delete it to run again.") from None

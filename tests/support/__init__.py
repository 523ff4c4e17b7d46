"""What tests share: worlds to play in, references to compare with, servers, browsers."""

from pathlib import Path

import pytest

# Before any of them is imported.
pytest.register_assert_rewrite(
    *(f"{__name__}.{each.stem}" for each in Path(__file__).parent.glob("[!_]*.py"))
)

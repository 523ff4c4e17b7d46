"""How an item looks to people: a title, a picture, a few words."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, StringConstraints, field_validator

from conlinucb.service.schemas.base import Text

LINES = r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd]+$"
"""As ``PRINTED``, with line breaks and tabs."""
Address = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"^[!-\[\]-~]+$")]
"""Printable ASCII without spaces and backslashes."""
Prose = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=LINES)]


class Details(BaseModel):
    """What may be said of an item beside its tags; all of it may be left out."""

    title: Text | None = Field(default=None, description="Its name for people; the id by default.")
    subtitle: Text | None = None
    image: Address | None = Field(
        default=None,
        description="A path on this service's own origin, /..., or an https address whose host is "
        "in the configuration's image_hosts.",
    )
    link: Address | None = Field(default=None, description="An http or https address.")
    text: Prose | None = Field(default=None, description="A few sentences.")
    year: int | None = Field(default=None, ge=-9999, le=9999, strict=True)

    @field_validator("image")
    @classmethod
    def _is_own_or_safe(cls, image: str | None) -> str | None:
        if image is not None and image_host(image) is None:
            raise ValueError("image must be a path such as /covers/1.png or an https address")
        return image

    @field_validator("link")
    @classmethod
    def _is_an_address(cls, link: str | None) -> str | None:
        if link is not None and not _host(link, ("http", "https")):
            raise ValueError("link must be an http or https address")
        return link

    def details(self) -> dict[str, Any]:
        """What was said, by field."""
        return {
            name: value
            for name in Details.model_fields
            if (value := getattr(self, name)) is not None
        }


def image_host(image: str) -> str | None:
    """The host that an image comes from, "" for one's own, None for what is no image's address.

    >>> image_host("/covers/1.png"), image_host("https://img.example/1.png")
    ('', 'img.example')
    >>> image_host("//img.example/1.png"), image_host("http://img.example/1.png")
    (None, None)
    """
    if image.startswith("/") and not image.startswith("//"):
        return ""
    return _host(image, ("https",)) or None


def _host(address: str, schemes: tuple[str, ...]) -> str:
    """The host of an address with one of these schemes, or nothing."""
    try:
        parts = urlsplit(address)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return ""
    fits = parts.scheme in schemes and named and "@" not in parts.netloc
    return parts.netloc.lower() if fits else ""


class ItemShown(BaseModel):
    """An item as people see it."""

    item: str
    title: str = Field(description="Its name for people; the id where it has none.")
    subtitle: str | None = None
    image: str | None = None
    link: str | None = None
    text: str | None = None
    year: int | None = None

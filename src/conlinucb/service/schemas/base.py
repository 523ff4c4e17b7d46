"""What all bodies share: kinds of text, examples, and the one shape of errors."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from conlinucb.service.settings import PRINTED

Text = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=PRINTED)]
"""A name or id: 1 to 200 characters, no control characters."""
Names = Annotated[list[Text], Field(max_length=100_000)]
FewNames = Annotated[list[Text], Field(max_length=10_000)]
Weight = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False, strict=True)]


def example(**fields: Any) -> ConfigDict:
    """The example of a request, in which unknown fields are refused."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [fields]})


def shown(**fields: Any) -> ConfigDict:
    """The example of an answer."""
    return ConfigDict(json_schema_extra={"examples": [fields]})


class Health(BaseModel):
    """Whether the process runs, and what it can reach."""

    model_config = shown(status="ok", checks={"store": "ok"})

    status: Literal["ok", "not ready"]
    checks: dict[str, str]


class ErrorInside(BaseModel):
    """What went wrong."""

    code: str = Field(description="One word for programs.")
    message: str = Field(description="A sentence for people: what came in, what would be right.")


class ErrorOut(BaseModel):
    """The one shape of every error."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"error": {"code": "unknown_user", "message": "No one is called 'ann' here."}}
            ]
        }
    )

    error: ErrorInside

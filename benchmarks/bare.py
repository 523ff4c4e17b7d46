"""What the service is measured against: a FastAPI endpoint that inserts one row and no more."""

from __future__ import annotations

import os
from typing import Annotated

import anyio.to_thread
from fastapi import FastAPI
from pydantic import BaseModel, Field
from sqlalchemy import BigInteger, Column, Integer, MetaData, String, Table, insert

from conlinucb.service.storage.database import CONNECTIONS, Database

BARE = "CONLINUCB_BARE"
"""The database's address, from the benchmark to the server."""
metadata = MetaData()
rows = Table(
    "bench_rows",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("name", String(200)),
    Column("body", String(1000)),
)


class Body(BaseModel):
    """About as much as a reward."""

    decision: Annotated[str, Field(max_length=200)]
    item: Annotated[str, Field(max_length=200)]
    reward: float


class Done(BaseModel):
    """About as much as a receipt."""

    event: int
    repeated: bool


def app_from_environment() -> FastAPI:
    """One endpoint on the same database, with the same durability and as many threads."""
    database = Database(os.environ[BARE])
    app = FastAPI(openapi_url=None)

    @app.get("/readyz")
    async def ready() -> dict[str, str]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = CONNECTIONS
        return {"status": "ok"}

    @app.post("/bare/{name}")
    def bare(name: str, body: Body) -> Done:
        with database.connect() as connection:
            values = {"name": name, "body": body.model_dump_json()}
            connection.execute(insert(rows), values)
        return Done(event=1, repeated=False)

    return app

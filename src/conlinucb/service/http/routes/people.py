"""Conversations with people, and what people may see and do about their profile."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from conlinucb.service.conversations import picture as pictures
from conlinucb.service.conversations import views
from conlinucb.service.conversations.decide import NextRequest
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.profiles import explanation_of, exported, profile_of
from conlinucb.service.conversations.steps import say_answer, say_reward, take_steps
from conlinucb.service.http.routes.common import (
    ERRORS,
    STRICT,
    Catalogue,
    User,
    catalogue_name,
    only_catalogue,
    use_cases_of,
)
from conlinucb.service.http.turns import turns_of
from conlinucb.service.schemas import (
    AnswerBody,
    BestOut,
    Explanation,
    Export,
    NextBody,
    PersonBody,
    Picture,
    Profile,
    QuestionOut,
    Receipt,
    RecommendationOut,
    RewardBody,
    StepsBody,
    StepsOut,
    Text,
)
from conlinucb.service.storage import Person

router = APIRouter(
    prefix="/v1/users/{user}", tags=["people"], responses=ERRORS, dependencies=STRICT
)


@router.post("/next", summary="A question or a recommendation")
def next_(
    request: Request, user: User, body: NextBody | None = None, catalogue: Catalogue = None
) -> QuestionOut | RecommendationOut:
    """What comes next. Asked again before the answer, it returns the same question."""
    use_cases, name = use_cases_of(request), catalogue_name(request, catalogue)
    written = use_cases.next(name, user, NextRequest.of(body or NextBody()))

    def see(state: Conversation, person: Person) -> QuestionOut | RecommendationOut:
        return views.next_out(written.event, state)

    return use_cases.look(name, user, see, newcomers=True, reread=False)


@router.post("/steps", summary="What was said, and what comes next, in one request")
def steps(request: Request, user: User, body: StepsBody, catalogue: Catalogue = None) -> StepsOut:
    """Everything said is taken in in order; what is refused says so in its receipt.

    With an event id on each, the whole may be sent again.
    """
    return take_steps(use_cases_of(request), catalogue_name(request, catalogue), user, body)


@router.get("/picture", summary="What is made of a person")
def picture(request: Request, user: User, catalogue: Catalogue = None) -> Picture:
    """Topics from disliked to liked, and what was said. Of someone unknown, a newcomer's."""

    def see(state: Conversation, person: Person) -> Picture:
        return pictures.picture(state)

    name = catalogue_name(request, catalogue)
    return use_cases_of(request).look(name, user, see, newcomers=True)


@router.get("/best", summary="The best for a person, by what is known")
def best(
    request: Request,
    user: User,
    catalogue: Catalogue = None,
    k: Annotated[int, Query(ge=1, le=100, description="How many.")] = 10,
) -> BestOut:
    """By mean, without what they disliked. Nothing is logged, and nobody is created."""

    def see(state: Conversation, person: Person) -> BestOut:
        return views.best(state, k)

    name = catalogue_name(request, catalogue)
    return use_cases_of(request).look(name, user, see, newcomers=True)


@router.post("/answers", summary="Answer the open question, or say something unasked")
def answer(request: Request, user: User, body: AnswerBody, catalogue: Catalogue = None) -> Receipt:
    """yes, no, skip, or a number. A skip teaches nothing and is not asked again soon.

    With a topic in place of a question, it is an answer that nobody asked for: no skip.
    """
    name = catalogue_name(request, catalogue)
    written = say_answer(use_cases_of(request), name, user, body)
    return Receipt(event=written.event.seq, repeated=written.repeated)


@router.post("/rewards", summary="Reward an item")
def reward(request: Request, user: User, body: RewardBody, catalogue: Catalogue = None) -> Receipt:
    """How an item was liked; late ones are fine. Without a decision, any item of the catalogue."""
    name = catalogue_name(request, catalogue)
    written = say_reward(use_cases_of(request), name, user, body)
    return Receipt(event=written.event.seq, repeated=written.repeated)


@router.put("", summary="Know a person beforehand", status_code=204)
def meet(
    request: Request, user: User, body: PersonBody | None = None, catalogue: Catalogue = None
) -> None:
    """Not needed: ``next`` does it. It is the way to choose the seed of random draws."""
    use_cases_of(request).meet(
        catalogue_name(request, catalogue), user, body.seed if body else None
    )


@router.get("", summary="The profile", response_model=Profile)
async def profile(
    request: Request,
    user: User,
    catalogue: Catalogue = None,
    events: Annotated[int, Query(ge=0, le=1000, description="How many of the latest.")] = 50,
    before: Annotated[int, Query(ge=1, le=2**31 - 1, description="Only those before this one.")] = 2
    ** 31
    - 1,
    newcomer: Annotated[
        bool, Query(description="Take someone unknown for a newcomer, instead of refusing.")
    ] = False,
) -> Response:
    """What is believed of a person, and where it comes from: a page of their log."""
    use_cases, name = use_cases_of(request), catalogue_name(request, catalogue)
    look = partial(profile_of, use_cases, name, user, events, before, newcomers=newcomer)
    return await turns_of(request).answer(request, look)


@router.get("/explain", summary="Why this item", response_model=Explanation)
async def explain(
    request: Request,
    user: User,
    item: Annotated[Text, Query(description="The item.", examples=["Alien (1979)"])],
    catalogue: Catalogue = None,
) -> Response:
    """What each answer and reward contributed to an item's mean; it adds up."""
    use_cases, name = use_cases_of(request), catalogue_name(request, catalogue)
    look = partial(explanation_of, use_cases, name, user, item)
    return await turns_of(request).answer(request, look)


@router.delete("/events/{event}", summary="Take back an answer or a reward")
def retract(
    request: Request,
    user: User,
    event: Annotated[int, Path(ge=1, le=2**31 - 1, description="Its number in the log.")],
    catalogue: Catalogue = None,
) -> Receipt:
    """From then on it is as if it had never been given."""
    written = use_cases_of(request).retract(catalogue_name(request, catalogue), user, event)
    return Receipt(event=written.event.seq, repeated=written.repeated)


@router.get("/export", summary="Everything kept of a person", response_model=Export)
async def export(request: Request, user: User, catalogue: Catalogue = None) -> Response:
    """In every catalogue, or in the one named; a long log comes piece by piece."""
    pieces = exported(use_cases_of(request), user, only_catalogue(request, catalogue))
    in_turns = await turns_of(request).stream(pieces)
    return StreamingResponse(in_turns, media_type="application/json")


@router.delete(
    "",
    summary="Forget a person",
    status_code=204,
    response_class=Response,
    responses={202: {"description": "Deleted; it leaves the files once a reader lets go of them."}},
)
def forget(request: Request, user: User, catalogue: Catalogue = None) -> Response:
    """Gone from log, snapshots, caches and files; in every catalogue, or in the one named."""
    done = use_cases_of(request).forget(user, only_catalogue(request, catalogue))
    return Response(status_code=204 if done else 202)


QUICK: dict[str, Callable[..., BaseModel]] = {
    "next": next_,
    "answers": answer,
    "rewards": reward,
    "steps": steps,
}
"""Those that are called all the time, by the last word of their address."""

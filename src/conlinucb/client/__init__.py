"""A client of the service, for synchronous and for asynchronous programs.

Every call may be repeated without harm: what is said carries an id, and the service counts an id
once. So calls that get no answer are sent again, until a deadline.
"""

from conlinucb.client.errors import ClientError, Refused, Unavailable
from conlinucb.client.replies import (
    Answered,
    Best,
    Catalogue,
    Contribution,
    Conversation,
    Event,
    Explanation,
    Export,
    Item,
    Picture,
    Preferred,
    Profile,
    Question,
    Rated,
    Reason,
    Receipt,
    Recommendation,
    Refusal,
    Step,
    Steps,
    Term,
    Topic,
    Why,
)
from conlinucb.client.said import Answer, Next, Reward, TakeBack
from conlinucb.errors import MissingExtra

try:
    from conlinucb.client.asynchronous import AsyncClient
    from conlinucb.client.synchronous import Client
except ModuleNotFoundError as error:
    if error.name != "httpx2":
        raise
    raise MissingExtra("client", "The client") from None

__all__ = [
    "Answer",
    "Answered",
    "AsyncClient",
    "Best",
    "Catalogue",
    "Client",
    "ClientError",
    "Contribution",
    "Conversation",
    "Event",
    "Explanation",
    "Export",
    "Item",
    "Next",
    "Picture",
    "Preferred",
    "Profile",
    "Question",
    "Rated",
    "Reason",
    "Receipt",
    "Recommendation",
    "Refusal",
    "Refused",
    "Reward",
    "Step",
    "Steps",
    "TakeBack",
    "Term",
    "Topic",
    "Unavailable",
    "Why",
]

"""People who click or do not."""

from __future__ import annotations

from typing import Any, Literal

from numpy.typing import ArrayLike

from conlinucb.errors import InvalidInput
from conlinucb.people.compiled import CLIPPED, LOGISTIC
from conlinucb.people.tastes import TasteUsers

LINKS = {"clip": CLIPPED, "logistic": LOGISTIC}


class ClickUsers(TasteUsers):
    """People who click on an arm, reward 1, with the chance clip(x'theta*, 0, 1) or logistic.

    Answers are that chance for the direction asked about, plus noise; ``YesNo`` makes them yes or
    no. One draw a round decides: who clicks on an arm would click on any they like better.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
    >>> people = ClickUsers([[1.0, 0.0]], link="clip", pool_size=2)
    >>> results = cl.simulate({"LinUCB": cl.linucb(catalog)}, people, rounds=20)
    >>> bool(results.final_regret("LinUCB")[0, 0] <= 3)
    True
    """

    clicks = True

    def __init__(
        self,
        thetas: ArrayLike,
        *,
        link: Literal["clip", "logistic"] = "logistic",
        term_noise: float = 0.1,
        pool_size: int = 50,
        offered_size: int | None = None,
    ) -> None:
        if link not in LINKS:
            raise InvalidInput(f"link must be 'clip' or 'logistic', got {link!r}.")
        super().__init__(
            thetas,
            noise=0.0,
            term_noise=term_noise,
            pool_size=pool_size,
            offered_size=offered_size,
            shared_noise=False,
        )
        self.link = LINKS[link]

    def parameters(self) -> dict[str, Any]:
        """Everything but the thetas, as plain values."""
        name = next(name for name, link in LINKS.items() if link == self.link)
        return {"people": "ClickUsers", "link": name, **super().parameters()}

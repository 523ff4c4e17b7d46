"""What agents that only watch would have shown: computed beside a recommendation, never shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.decide import Choice
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.loader import StateLoader
from conlinucb.service.storage import Person


class Shadows:
    """The agents that watch one person's decision.

    One whose belief is that of the serving agent takes it as it is; any other has a state of its
    own, folded from the log once and then kept beside the person's.
    """

    def __init__(
        self,
        loader: StateLoader,
        watching: Sequence[CatalogueVersion],
        state: Conversation,
        person: Person,
    ) -> None:
        self._loader, self._watching = loader, watching
        self._state, self._person = state, person

    def __call__(self, choose: Choice) -> dict[str, list[str]]:
        """What each would have shown, best first, by the name of its arm."""
        found = {}
        for version in self._watching:
            arms = choose(self._under(version)).arms.tolist()
            found[version.arm] = [str(version.catalog.arm_ids[each]) for each in arms]
        return found

    def _under(self, version: CatalogueVersion) -> Conversation:
        state = self._state
        if version.basis == state.version.basis:
            return replace(state, version=version)
        own = state.shadows.get(version.arm)
        if not self._person.id:
            return Conversation.new(version, self._person.seed)
        if own is None or not own.fits(version):
            own = self._loader.rebuild(version, self._person)
        elif own.seq < state.seq:
            own = self._loader.catch_up(own, self._person)
        state.shadows[version.arm] = own.on(version)
        return own

"""Finding items and topics by what someone types: forgiving of typos, case and accents."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from rapidfuzz import fuzz, process

from conlinucb.numerics.validation import Floats

ALIKE = 72.0
"""Of 100: words that are less alike are different words."""
SHORTEST = 4
"""Letters from which a word may have a typo; shorter ones must begin as they are typed."""
ENOUGH = 50.0
"""Of 100: how alike the words typed must be to those of a name on average, by their length."""
CLOSEST = 500
"""Words that are looked at as what a mistyped one may have meant."""
LONGEST_WORDS = 4
"""Of many words typed, so many are looked at for typos."""
LAST = "\U0010ffff"
"""Behind everything that begins alike."""
_APOSTROPHES = {ord(each): None for each in "'\u2018\u2019\u02bc"}
_LETTERS = re.compile(r"[^\W_]+")


def folded(text: str) -> str:
    """Lower case, without accents: "Amélie" is "amelie".

    >>> folded("Amélie  (2001)"), folded("WALL·E"), folded("Straße")
    ('amelie 2001', 'wall e', 'strasse')
    """
    apart = unicodedata.normalize("NFKD", text.casefold().translate(_APOSTROPHES))
    bare = "".join(each for each in apart if not unicodedata.combining(each))
    return " ".join(_LETTERS.findall(bare))


class NameIndex:
    """Names, each perhaps with other texts to be found by; made once, asked often.

    >>> NameIndex([("Alien (1979)",), ("Amélie (2001)",), ("Aliens (1986)",)]).find("alein", 2)
    [0, 2]
    """

    def __init__(self, names: Sequence[Sequence[str]]) -> None:
        texts = [tuple(dict.fromkeys(map(folded, each))) for each in names]
        self._size = len(texts)
        in_order = sorted((text, place) for place, each in enumerate(texts) for text in each)
        self._sorted = [text for text, _ in in_order]
        self._sorted_places = np.array([place for _, place in in_order], dtype=np.int64)
        self._squeezed = [each[0].replace(" ", "") if each else "" for each in texts]
        self._lengths = np.array([sum(map(len, each)) for each in texts], dtype=np.float64)
        found: dict[str, list[int]] = {}
        for place, each in enumerate(texts):
            for word in dict.fromkeys(" ".join(each).split()):
                found.setdefault(word, []).append(place)
        self._words = sorted(found)
        lists = [found[word] for word in self._words]
        self._starts = np.array([0, *accumulate(map(len, lists))], dtype=np.int64)
        self._places = np.array([place for each in lists for place in each], dtype=np.int64)

    def find(self, typed: str, most: int) -> list[int]:
        """Places of the names that fit best, best first.

        Names that have every word as it is typed come alone; only where there are none, those with
        words that are alike, and then those that are alike letter by letter, as "starwars" is.
        """
        wanted = folded(typed)
        if not wanted or not self._size:
            return []
        for scored in (self._as_typed, self._with_typos, self._run_together):
            scores = scored(wanted)
            fitting = np.flatnonzero(scores)
            if fitting.size:
                order = np.lexsort((fitting, self._lengths[fitting], -scores[fitting]))
                return [int(each) for each in fitting[order[:most]]]
        return []

    def _as_typed(self, wanted: str) -> Floats:
        """3 for what was typed, 2 for what begins so, 1 where words do, 0 for the others."""
        there = np.ones(self._size, dtype=bool)
        for word in set(wanted.split()):
            has = np.zeros(self._size, dtype=bool)
            first, last = self._beginning_with(word)
            has[self._places[self._starts[first] : self._starts[last]]] = True
            there &= has
        found = there.astype(np.float64)
        for end in ("", LAST):
            first, last = (
                bisect_left(self._sorted, wanted),
                bisect_right(self._sorted, wanted + end),
            )
            found[np.unique(self._sorted_places[first:last])] += 1.0
        return found

    def _beginning_with(self, word: str) -> tuple[int, int]:
        """The words that begin so stand together."""
        return bisect_left(self._words, word), bisect_left(self._words, word + LAST)

    def _with_typos(self, wanted: str) -> Floats:
        """How alike the words are that a name has, from 100 down; 0 below ``ENOUGH``."""
        words = sorted({each for each in wanted.split() if len(each) >= SHORTEST}, key=len)
        words = words[-LONGEST_WORDS:]
        found = np.zeros(self._size)
        for word in words:
            found += self._likeness(word) * len(word) / sum(map(len, words))
        found[found < ENOUGH] = 0.0
        return found

    def _likeness(self, word: str) -> Floats:
        """How alike the best word of each name is."""
        alike = self._alike(word)
        numbers = np.flatnonzero(alike)
        # In ascending order, so that of several words of a name the best is written last.
        numbers = numbers[np.argsort(alike[numbers], kind="stable")][-CLOSEST:]
        found = np.zeros(self._size)
        for number in numbers:
            found[self._places[self._starts[number] : self._starts[number + 1]]] = alike[number]
        return found

    def _alike(self, word: str) -> Floats:
        """How alike each word is as a whole, or what it begins with: people type on."""
        begun = [each[: len(word)] for each in self._words]
        whole, beginning = (
            process.cdist([word], words, scorer=fuzz.ratio, score_cutoff=ALIKE)[0]
            for words in (self._words, begun)
        )
        return np.asarray(np.maximum(whole, beginning), dtype=np.float64)

    def _run_together(self, wanted: str) -> Floats:
        typed = wanted.replace(" ", "")
        if len(typed) < SHORTEST:
            return np.zeros(self._size)
        found = process.cdist([typed], self._squeezed, scorer=fuzz.ratio, score_cutoff=ALIKE)[0]
        return np.asarray(found, dtype=np.float64)

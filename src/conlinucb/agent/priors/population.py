"""What people are like in general, learned from the feedback of others."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conlinucb import atomic
from conlinucb.agent.priors.answers import Answers
from conlinucb.agent.priors.fitting.calibration import Calibration, identity
from conlinucb.agent.priors.fitting.fit import Fit
from conlinucb.agent.priors.fitting.held_out import multiple
from conlinucb.agent.priors.fitting.parts import parts_of, spread_of
from conlinucb.agent.priors.fitting.settings import Settings, usable_threads
from conlinucb.agent.priors.fitting.store import Store
from conlinucb.agent.priors.fitting.sums import Belief
from conlinucb.agent.priors.fitting.table import Reader
from conlinucb.agent.priors.gaussian import Gaussian
from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.given import checked_catalog
from conlinucb.errors import IncompatibleState
from conlinucb.numerics.validation import number, whole
from conlinucb.progress import Progress
from conlinucb.shown import Shown, rounded

FORMAT = 1
"""Version of the file that ``save`` writes."""
_DAMAGE = (LookupError, ValueError, TypeError, AttributeError, EOFError, zipfile.BadZipFile)


class Population(Gaussian, Shown):
    """A Gaussian over tastes that was fitted to people's feedback, with what answers mean.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]], ["a", "b"])
    >>> log = {"person": [1, 1, 2, 2], "id": ["a", "b", "a", "b"], "value": [0.9, 0.1, 0.8, 0.3]}
    >>> people = cl.Population.fit(catalog, log)
    >>> people.people, bool(people.mean[0] > people.mean[1])
    (2, True)
    >>> agent = cl.conlinucb(catalog, prior=people, alpha=1.0)
    """

    def __init__(
        self,
        mean: ArrayLike,
        covariance: ArrayLike,
        noise: float = 1.0,
        *,
        people: int = 0,
        term_ids: tuple[Any, ...] = (),
        calibration: Calibration | None = None,
        summary: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(mean, covariance, noise)
        self.people = whole("people", people)
        self.term_ids = tuple(term_ids)
        self.calibration = calibration or identity(len(self.term_ids), self.noise)
        self._summary = dict(summary or {})

    @classmethod
    def fit(
        cls,
        catalog: Catalog,
        feedback: Any = None,
        *,
        range: tuple[float, float] | None = (0.0, 1.0),
        base: float = 0.25,
        pull: float | None = None,
        cap: float = 200.0,
        negatives: int = 0,
        least: int = 1,
        unknown: str = "error",
        leave_out: bool = True,
        answers: bool = True,
        held_out: bool = True,
        tolerance: float = 1e-6,
        rounds: int = 200,
        threads: int | None = None,
        executor: Any = "threads",
        progress: bool | None = False,
        seed: int = 0,
        store: str | Path | None = None,
    ) -> Self:
        """Fit to a table of feedback: person, id and value, where given kind and weight.

        A table is a pandas, polars or pyarrow one, a dictionary of columns, a file, a ``Table``
        (how it is written), or a folder of parquet parts, read again for every pass. ``kind``
        is "reward" (``id`` is an arm's) or "answer" (a key-term's; no value: not answered).

        ``range`` is that of rewards and answers, values outside are clipped (None: not), ``base``
        how far up it rewards are before anybody gave one. ``pull`` pseudo-people hold the
        covariance (None: d + 2, or more where people held out find that likelier). A person has at
        most ``cap`` events' worth of weight. ``negatives`` unseen arms stand beside each reward
        above the lowest. Below ``least`` people nothing is learned. ``unknown="skip"`` leaves out
        rows with unknown ids. ``leave_out`` takes a person's own feedback out of the popularity of
        what they rated. With ``answers`` those count, too, once calibrated. ``held_out`` judges
        first fits by one person in five. EM ends where a step gains less than ``tolerance`` an
        event, or after ``rounds``. ``executor="ray"`` spreads parts over a cluster. ``store`` is a
        file from which the same call goes on after an interruption.
        """
        settings = Settings(
            range, base, pull, cap, negatives, least, unknown,
            leave_out, answers, held_out, tolerance, rounds, seed,
        )  # fmt: skip
        reader = Reader(checked_catalog(catalog), range, unknown, negatives, seed, leave_out)
        call = {"catalog": catalog.version, **settings.to_json()}
        bar = Progress(None, what="people passed over", unit=1, shown=progress)
        work = Fit(
            catalog,
            parts_of(feedback, reader),
            settings,
            usable_threads(threads),
            spread_of(executor),
            Store(None if store is None else Path(store), call),
            bar.add,
        )
        try:
            found = work.run()
        finally:
            bar.close()
        return cls(
            found.mean,
            found.covariance,
            found.noise,
            people=found.people,
            term_ids=catalog.term_ids,
            calibration=found.answers,
            summary=found.summary,
        )

    def calibrated(
        self,
        catalog: Catalog,
        feedback: Any,
        *,
        range: tuple[float, float] | None = (0.0, 1.0),
        negatives: int = 0,
        cap: float = 200.0,
        unknown: str = "error",
        leave_out: bool = True,
        seed: int = 0,
    ) -> Self:
        """The same prior, with answers calibrated anew on people who gave both kinds of feedback.

        Where answers come from items that are rewarded, too, a fit on everything would take its
        own rewards for what people say; here the rewards of ``feedback`` are all that is known of
        its people. Options are those of ``fit``.
        """
        settings = Settings(
            range, 0.25, None, cap, negatives, 1,
            unknown, leave_out, True, False, 1e-6, 1, seed,
        )  # fmt: skip
        reader = Reader(checked_catalog(catalog), range, unknown, negatives, seed, leave_out)
        work = Fit(
            catalog,
            parts_of(feedback, reader),
            settings,
            usable_threads(None),
            spread_of("threads"),
            Store(None, {}),
            lambda people: None,
        )
        found = work.calibration(Belief(self.mean, self.covariance, self.noise, np.ones(3)))
        return type(self)(
            self.mean,
            self.covariance,
            self.noise,
            people=self.people,
            term_ids=catalog.term_ids,
            calibration=found,
            summary=self._summary | {"slope": found.slope, "chance": found.chance},
        )

    def multiple(self, level: float) -> float:
        """How many standard deviations a reward's interval of this level reaches to each side.

        As the people held out of a first fit showed it; of a normal variable where none were.

        >>> round(Population([0.0], [[1.0]]).multiple(0.9), 3)
        1.645
        """
        return multiple(number("level", level, low=0.01, high=0.99), self._summary.get("multiples"))

    def answers(self, catalog: Catalog) -> Answers:
        """How this catalogue's answers are taken, by the ids of its key-terms.

        Those that were not there when the population was fitted have what all have in common.
        """
        known = {each: k for k, each in enumerate(self.term_ids)}
        at = np.array([known.get(each, len(known)) for each in catalog.term_ids])
        shared = self.calibration
        offset = np.append(shared.offsets, shared.offset)[at]
        noise = np.append(shared.noises, shared.noise)[at]
        chance = np.append(shared.chances, shared.chance)[at]
        weight = shared.weights(noise, self.noise)
        return Answers(offset, np.full(at.size, shared.slope), weight, chance)

    def summary(self) -> dict[str, Any]:
        """What the fit saw and how it went, as plain numbers."""
        return dict(self._summary)

    def digest(self) -> dict[str, Any]:
        """A hash of everything that decides what an agent does with it."""
        found = hashlib.sha256()
        for name, array in sorted(self._arrays().items()):
            found.update(name.encode() + array.tobytes())
        return {"prior": f"population {found.hexdigest()[:16]}"}

    def _arrays(self) -> dict[str, NDArray[Any]]:
        answers = {f"answers_{k}": np.asarray(v) for k, v in self.calibration._asdict().items()}
        return answers | {
            "mean": self.mean,
            "covariance": self.covariance,
            "noise": np.array(self.noise),
            "term_ids": _text(list(self.term_ids)),
        }

    def to_bytes(self) -> bytes:
        """One .npz file of plain arrays, no pickle."""
        file = io.BytesIO()
        more = {"format": np.array(FORMAT), "people": np.array(self.people)}
        arrays = self._arrays() | more | {"summary": _text(self._summary)}
        np.savez(file, allow_pickle=False, **arrays)
        return file.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """What ``to_bytes`` made."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as stored:
                return cls._read({name: stored[name] for name in stored.files})
        except _DAMAGE as error:
            raise IncompatibleState(f"This is not a population of ours: {error}") from error

    @classmethod
    def _read(cls, arrays: dict[str, NDArray[Any]]) -> Self:
        if int(arrays["format"]) != FORMAT:
            raise IncompatibleState(f"format {int(arrays['format'])} is not {FORMAT}.")
        given = {name: arrays[f"answers_{name}"] for name in Calibration._fields}
        numbers: dict[str, Any] = {k: v if v.ndim else float(v) for k, v in given.items()}
        return cls(
            arrays["mean"],
            arrays["covariance"],
            float(arrays["noise"]),
            people=int(arrays["people"]),
            term_ids=tuple(json.loads(arrays["term_ids"].tobytes())),
            calibration=Calibration(**numbers),
            summary=json.loads(arrays["summary"].tobytes()),
        )

    def save(self, path: str | Path) -> None:
        """Write one .npz file, whole or not at all."""
        atomic.write(Path(path), self.to_bytes())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what ``save`` wrote."""
        file = atomic.existing(path)
        try:
            return cls.from_bytes(file.read_bytes())
        except IncompatibleState as error:
            raise IncompatibleState(f"{path}: {error}") from error

    def facts(self) -> dict[str, object]:
        """What a notebook shows."""
        sizes = {"people": self.people, "features": self.mean.size, "key-terms": len(self.term_ids)}
        return {**sizes, "noise": rounded(self.noise), **self.digest()}

    def __repr__(self) -> str:
        return f"Population(d={self.mean.size}, people={self.people}, noise={self.noise:.4g})"


def _text(value: Any) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)

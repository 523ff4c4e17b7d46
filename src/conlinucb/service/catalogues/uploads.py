"""Catalogues as they come in: items with tags as JSON, or a table as CSV or parquet."""

from __future__ import annotations

import hashlib
import importlib
import logging
import re
import tempfile
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.checked import checked_ids, encode_ids
from conlinucb.catalog.table import TEXT_FILES
from conlinucb.errors import InvalidInput, RankWarning
from conlinucb.numerics.validation import Floats
from conlinucb.service.catalogues.allowance import OWN, Allowance
from conlinucb.service.catalogues.choices import choices_of
from conlinucb.service.catalogues.detail_columns import details_of
from conlinucb.service.catalogues.headers import nouns_of
from conlinucb.service.catalogues.lens import Lens, grouped, of_vectors, questions_about
from conlinucb.service.catalogues.tables import LONGEST_ID, Reading, opened, read_table
from conlinucb.service.catalogues.told import columns_of
from conlinucb.service.catalogues.version import Content, refuse_twice
from conlinucb.service.schemas import CatalogueBody, Item
from conlinucb.service.schemas.preview import ColumnOut, Understood
from conlinucb.service.settings import PRINTED, TOPICS_AT_ONCE, Settings

logger = logging.getLogger("conlinucb.service")
MOST_ITEMS = 1_000_000
T = TypeVar("T")
_PRINTED = re.compile(PRINTED)


def from_json(
    body: CatalogueBody, allowance: Allowance = OWN, groups: int | None = None
) -> Content:
    """Items with their tags, perhaps with features of their own; with features alone in groups."""
    _check_items(body.items)
    groups = groups or body.groups
    topics = len({tag for each in body.items for tag in each.tags})
    given = len(body.items[0].features or ()) or body.d
    allowance.check_shape(len(body.items), topics, given)
    rows = [(each.id, tag, weight) for each in body.items for tag, weight in each.weights().items()]
    items, tags, weights = (
        (list(column) for column in zip(*rows, strict=True)) if rows else [[]] * 3
    )
    table = {"item": items, "tag": tags, "weight": weights}
    features = _features(body.items)
    lens = None
    details = {each.id: found for each in body.items if (found := each.details())}
    if features is not None and not rows:
        ids = [each.id for each in body.items]
        catalog, lens = _of_vectors(_vectors(features), ids, details, body.d, groups)
    elif groups is not None:
        raise InvalidInput(f"groups is {groups}, but the items have tags: leave one of them out.")
    elif features is None:
        catalog = _quietly(lambda: of_tags(table, d=body.d, fold=False))
    else:
        ids = [each.id for each in body.items]
        catalog = _quietly(lambda: Catalog.from_embeddings(features, ids, table, fold=False))
    known = set(catalog.term_ids)
    strange = [each for each in body.questions if each not in known]
    if strange:
        raise InvalidInput(f"questions has {strange[0]!r}, which is no tag of an item.")
    asked = body.questions
    if lens is not None:
        noun = "items" if body.settings is None else body.settings.nouns
        asked = questions_about(catalog, _titles(catalog.arm_ids, details), noun, asked)
    return Content(_as_text(catalog), asked, details=details, lens=lens)


def _vectors(features: list[Any]) -> Floats:
    sizes = {len(each) for each in features}
    if len(sizes) > 1:
        raise InvalidInput(f"features must be as many of each item, got {sorted(sizes)[:5]}.")
    return np.array(features, dtype=np.float64)


def _titles(ids: Sequence[Any], details: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return [str(details.get(str(each), {}).get("title", each)) for each in ids]


def _of_vectors(
    vectors: Floats,
    ids: Sequence[str],
    details: Mapping[str, Mapping[str, Any]],
    d: int | None,
    groups: int | None,
) -> tuple[Catalog, Lens]:
    titles = _titles(ids, details)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankWarning)
        return of_vectors(vectors, ids, titles, d, groups)


def of_tags(table: Any, *, d: int | None = None, **rules: Any) -> Catalog:
    """Features of tags; where their number is not said, with a constant: a person's level."""
    made = Catalog.from_tags(table, d=d, **rules)
    return made.with_constant() if d is None else made


def _check_items(items: list[Item]) -> None:
    refuse_twice([each.id for each in items])
    bare = [each.id for each in items if not each.tags and each.features is None]
    if bare:
        raise InvalidInput(
            f"Item {bare[0]!r} has neither tags nor features: nothing is known of it."
        )


def _features(items: list[Item]) -> list[Any] | None:
    given = [each.features for each in items if each.features is not None]
    if given and len(given) < len(items):
        raise InvalidInput(f"{len(given)} of {len(items)} items have features: all or none must.")
    return given or None


@dataclass(frozen=True, eq=False)
class Upload:
    """What came in, how it was understood, and which items nothing is known of."""

    content: Content
    understood: Understood
    bare: Sequence[str] = ()
    settings: Settings | None = None
    """Those that came with it."""
    nouns: tuple[str, str] | None = None
    """What one item and several are called, as far as the table says."""

    def beginning(self) -> Settings | None:
        """The settings of a catalogue that is new; None for the usual ones."""
        return self.settings or beginning(self.content, self.nouns)


def beginning(content: Content, nouns: tuple[str, str] | None = None) -> Settings | None:
    """What a new catalogue asks without a word from its builder; None for the usual settings.

    Several topics at once, where there are enough for two such questions and none has a text of its
    own: of all ways of asking it helped real people most (docs/results/ways.md).
    """
    begun: dict[str, Any] = {}
    if nouns is not None:
        begun |= {"noun": nouns[0], "nouns": nouns[1]}
    if content.catalog.live_terms.size >= 2 * TOPICS_AT_ONCE and not content.questions:
        begun["ask_about"] = "any"
    return Settings(**begun) if begun else None


def read_json(body: CatalogueBody, allowance: Allowance = OWN, groups: int | None = None) -> Upload:
    """Items with their tags as JSON: nothing in it is guessed."""
    content = from_json(body, allowance, groups)
    words = ["Items with their topics, as JSON."]
    if content.lens is not None:
        words = ["Items without topics, as JSON: those near each other are made into groups."]
    told = Understood(
        separator=None,
        layout="items",
        split=None,
        rows=len(body.items),
        columns=[],
        words=words,
        warnings=[],
    )
    return Upload(content, told, settings=body.settings)


def from_table(body: bytes, kind: str, **rules: Any) -> Upload:
    """A table of items and tags, ``kind`` .csv or .parquet."""
    return _of_bytes(body, kind, lambda path: upload_of(path, **rules))


def columns_in(
    body: bytes, kind: str, *, columns: Sequence[str] = (), allowance: Allowance = OWN
) -> list[ColumnOut]:
    """The columns of a table that can perhaps not be used yet, and what each would be for."""

    def read(path: Path) -> list[ColumnOut]:
        sheet, roles = opened(path, allowance, choices_of(columns))
        return columns_of(sheet, roles, None)

    return _of_bytes(body, kind, read)


def _of_bytes(body: bytes, kind: str, read: Callable[[Path], T]) -> T:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"catalogue{kind}"
        path.write_bytes(body)
        try:
            return read(path)
        except InvalidInput as error:
            raise InvalidInput(str(error).replace(str(path), "The table")) from None


def from_file(path: Path, *, image_hosts: Collection[str] = (), **rules: Any) -> Content:
    """A file of items and tags, or one that ``Catalog.save`` wrote."""
    told = repr(sorted(rules.items())) + (repr(sorted(image_hosts)) if image_hosts else "")
    source = hashlib.sha256(path.read_bytes() + told.encode()).hexdigest()
    if path.suffix == ".npz":
        return replace(_loaded(Catalog.load(path), rules.get("groups")), source=source)
    found = upload_of(path, image_hosts=image_hosts, **rules)
    for each in (*found.understood.words, *found.understood.warnings):
        logger.info("%s: %s", path, each)
    return replace(found.content, source=source)


def _loaded(catalog: Catalog, groups: int | None) -> Content:
    """A catalogue that was saved; one without topics gets groups of near items."""
    if catalog.term_ids:
        if groups is not None:
            raise InvalidInput(f"groups is {groups}, but the catalogue has key-terms already.")
        return Content(_as_text(catalog))
    titles = _titles(catalog.arm_ids, {})
    made = _as_text(_quietly(lambda: grouped(catalog, titles, groups)))
    return Content(made, questions_about(made, titles, "items"))


def upload_of(
    path: Path,
    *,
    image_hosts: Collection[str] | None = None,
    allowance: Allowance = OWN,
    groups: int | None = None,
    columns: Sequence[str] = (),
    **rules: Any,
) -> Upload:
    """A file of text or parquet; what was guessed is said.

    ``columns`` say what some are for, such as "item:Film"; of all others it is guessed.
    Images on hosts other than ``image_hosts`` are left out, where those are given.
    """
    if not path.is_file():
        raise InvalidInput(f"There is no file {path}.")
    if path.suffix.lower() not in (".parquet", *TEXT_FILES):
        raise InvalidInput(f"{path} must end in {', '.join(TEXT_FILES)} or .parquet.")
    reading = read_table(path, allowance, choices_of(columns))
    if reading.vectors is not None:
        return _of_reading(reading, image_hosts, allowance, groups, rules.get("d"))
    if groups is not None:
        raise InvalidInput(
            f"groups is {groups}, but the table has topics: groups are made where there are none."
        )
    topics = importlib.import_module("pyarrow.compute").count_distinct(reading.table["tag"]).as_py()
    allowance.check_shape(len(reading.items), topics, rules.get("d"))
    catalog = _as_text(_quietly(lambda: of_tags(reading.table, **rules)))
    found = details_of(reading, image_hosts)
    told = _understood(reading, [*found.warnings(reading), *_merged(catalog.report)])
    known = set(catalog.arm_ids)
    details = {item: each for item, each in found.details.items() if item in known}
    assert reading.roles.item is not None
    nouns = nouns_of(reading.sheet.header[reading.roles.item])
    return Upload(Content(catalog, details=details), told, reading.bare, nouns=nouns)


def _understood(reading: Reading, more: Sequence[str]) -> Understood:
    words, said = reading.words()
    return Understood(
        separator=reading.sheet.separator,
        layout=reading.pairs.layout,
        split=reading.pairs.split,
        rows=len(reading.sheet),
        columns=columns_of(reading.sheet, reading.roles, reading.pairs),
        words=words,
        warnings=[*said, *more],
    )


def _of_reading(
    reading: Reading,
    image_hosts: Collection[str] | None,
    allowance: Allowance,
    groups: int | None,
    d: int | None,
) -> Upload:
    """A table of items and where they lie."""
    assert reading.vectors is not None
    assert reading.roles.item is not None
    allowance.check_shape(len(reading.items), groups or 0, d)
    vectors = np.empty_like(reading.vectors)
    vectors[reading.codes] = reading.vectors  # in the order of ``items``
    found = details_of(reading, image_hosts)
    catalog, lens = _of_vectors(vectors, reading.items, found.details, d, groups)
    nouns = nouns_of(reading.sheet.header[reading.roles.item])
    asked = questions_about(
        catalog,
        _titles(reading.items, found.details),
        "items" if nouns is None else nouns[1],
    )
    more = found.warnings(reading)
    if not found.details and all(each.strip("-0123456789.") == "" for each in reading.items):
        more.append("Groups are named by ids, which are numbers: a column title gives them names.")
    content = Content(_as_text(catalog), asked, details=found.details, lens=lens)
    return Upload(content, _understood(reading, more), nouns=nouns)


def _merged(report: Mapping[str, int]) -> list[str]:
    """What was taken as one, in plain words."""
    alike = report.get("tags that differed only in case or white space", 0)
    again, nothing = report.get("repeated rows", 0), report.get("weights of 0", 0)
    found = []
    if alike:
        found.append(f"{alike} topics differ from another only in case or spaces: they are one.")
    if again:
        found.append(f"{again} times an item has a topic that it has already: it counts once.")
    if nothing:
        found.append(f"{nothing} weights are 0: those items are taken not to have the topic.")
    return found


def _quietly(make: Callable[[], Catalog]) -> Catalog:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankWarning)
        return make()


def _as_text(catalog: Catalog) -> Catalog:
    """The catalogue with ids that are text, since in an address and in JSON keys they are."""
    if len(catalog) > MOST_ITEMS:
        raise InvalidInput(f"There are {len(catalog)} items; at most {MOST_ITEMS} are taken.")
    ids = [str(each) for each in (*catalog.arm_ids, *catalog.term_ids)]
    wrong = [each for each in ids if not len(each) <= LONGEST_ID or not _PRINTED.match(each)]
    if wrong:
        raise InvalidInput(
            f"An id must have 1 to {LONGEST_ID} characters, none of them a control character, "
            f"got {wrong[0][:50]!r} with {len(wrong[0])}."
        )
    split = len(catalog.arm_ids)
    if tuple(ids[:split]) == catalog.arm_ids and tuple(ids[split:]) == catalog.term_ids:
        return catalog
    names = {"arm_ids": ids[:split], "term_ids": ids[split:]}
    written = {kind: encode_ids(checked_ids(kind, each, len(each))) for kind, each in names.items()}
    text = Catalog.from_arrays(catalog.to_arrays() | written)
    text.report = catalog.report
    return text

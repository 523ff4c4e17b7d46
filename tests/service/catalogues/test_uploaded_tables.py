"""Tables as people have them: read forgivingly, told what was guessed, refused by the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from conlinucb.errors import InvalidInput
from conlinucb.service.catalogues.headers import roles_of
from conlinucb.service.catalogues.uploads import Upload, from_file, from_table
from conlinucb.service.http.routes.page import FOLDER

RECIPES = Path(__file__).parents[3] / "examples/recipes.csv"
TOPICS = {"Soup": {"vegan", "quick"}, "Pie": {"sweet", "baked"}, "Tart": {"sweet"}}


def read(text: str, kind: str = ".csv") -> Upload:
    return from_table(text.encode(), kind)


def topics(upload: Upload) -> dict[str, set[str]]:
    catalog = upload.content.catalog
    rows = catalog.weights.toarray()
    return {
        str(item): {str(tag) for tag, weight in zip(catalog.term_ids, row, strict=True) if weight}
        for item, row in zip(catalog.arm_ids, rows, strict=True)
    }


LONG = "Soup{0}vegan\nSoup{0}quick\nPie{0}sweet\nPie{0}baked\nTart{0}sweet\n"
WIDE = "{0}{1}{2}\nSoup{1}vegan{3}quick\nPie{1}sweet {3} baked\nTart{1}sweet\n"
WRITTEN = {
    "commas": "item,tag\n" + LONG.format(","),
    "semicolons": "item;tag\n" + LONG.format(";"),
    "tabs": "item\ttag\n" + LONG.format("\t"),
    "upright": WIDE.format("Recipe", ";", "Tags", "|"),
    "semicolons in cells": WIDE.format("BOOK", ",", "Genres", ";"),
    "commas in cells": WIDE.format("Film Title", "\t", "keywords", ", "),
    "quoted commas": 'Name,Category\nSoup,"vegan, quick"\nPie,"sweet,baked"\nTart,sweet\n',
    "odd header": WIDE.format(" Product-ID ", ";", "T\u00f3pics", "|"),
    "a column a topic": "title,vegan,quick,sweet,baked\nSoup,1,1,0,0\nPie,0,,1,1\nTart,0,0,1,0\n",
    "crosses": "dish;vegan;quick;sweet;baked\nSoup;x;X;;\nPie;;;yes;TRUE\nTart;no;-;1;0\n",
    "numbered columns": "name;Tag 1;Tag 2\nSoup;vegan;quick\nPie;sweet;baked\nTart;sweet;\n",
    "empty lines": "\n\nitem;tag\n\n" + LONG.format(";") + ";\n;\n",
    "trailing separators": "item;tag;;\n" + LONG.format(";").replace("\n", ";;\n"),
    "numbers of rows": "id,film,genre\n"
    + "".join(f"{n},{row}\n" for n, row in enumerate(LONG.format(",").split())),
    "windows": "\ufeffitem;tag\r\n" + LONG.format(";").replace("\n", "\r\n"),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_the_same_however_it_is_written(case: str) -> None:
    assert topics(read(WRITTEN[case])) == TOPICS


def test_letters_of_two_bytes_are_known_by_their_mark() -> None:
    upload = from_table(WRITTEN["tabs"].replace("Soup", "Süppchen").encode("utf-16"), ".csv")
    assert "Süppchen" in topics(upload)


@pytest.mark.parametrize("case", ["semicolons", "upright", "a column a topic"])
def test_letters_of_windows_are_read_and_it_is_said(case: str) -> None:
    text = "\r\n".join(WRITTEN[case].replace("Soup", "S\u00fcppchen \u20ac\u2019").split("\n"))
    upload = from_table(text.encode("cp1252"), ".csv")
    assert "S\u00fcppchen \u20ac\u2019" in topics(upload)
    said = upload.understood.warnings[0]
    assert "read as Windows-1252, first in line 2: 'S\u00fcppchen \u20ac\u2019" in said
    assert "The table is not UTF-8" in said
    assert "Windows" not in " ".join(read(text).understood.warnings)


def test_a_wrong_guess_of_letters_is_seen() -> None:
    upload = from_table("item;tag\nSoup;a\nPie;\u00e9t\u00e9\n".encode() + b"Tart;\xe9t\n", ".csv")
    assert "first in line 3: 'Pie;\u00c3\u00a9t\u00c3\u00a9'" in upload.understood.warnings[0]


NO_LETTERS = {
    b"item;tag\nSoup;vegan\nP\xefe;\x81\n": "line 3: 'P\ufffde;\ufffd' is not UTF-8: it has",
    b"\xef\xbb\xbfitem;tag\nSoup;\xe9t\n": "line 2: 'Soup;\ufffdt' is not UTF-8: it has",
    b"item;tag\nSoup;\xe9\0\n": "is not UTF-8: it has the byte 0xe9",
}


@pytest.mark.parametrize("body", NO_LETTERS)
def test_bytes_that_are_no_letters_are_refused_by_the_line(body: bytes) -> None:
    with pytest.raises(InvalidInput) as found:
        from_table(body, ".csv")
    assert NO_LETTERS[body] in str(found.value)


def test_the_recipes() -> None:
    upload = read(RECIPES.read_text(encoding="utf-8"))
    assert (len(upload.content.catalog), len(upload.content.catalog.term_ids)) == (60, 15)
    told = upload.understood
    assert (told.separator, told.layout, told.split, told.rows) == (";", "wide", "|", 60)
    uses = {each.name: each.used_as for each in told.columns}
    assert uses == {"Recipe": "item", "Tags": "topic", "Minutes": None, "Description": "text"}
    assert any("'Minutes' are not used" in each for each in told.warnings)
    assert RECIPES.read_bytes() == (FOLDER / "recipes.csv").read_bytes()


@pytest.mark.parametrize(
    ("case", "layout", "words"),
    [
        ("semicolons", "long", "separated by semicolons"),
        ("semicolons", "long", "Each row is one topic of an item"),
        ("upright", "wide", "'Tags' holds its topics, with '|' between them"),
        ("a column a topic", "columns", "each of 4 columns of yes and no is a topic"),
        ("numbered columns", "wide", "'Tag 1', 'Tag 2' hold its topics"),
        ("numbers of rows", "long", "'film' names the item"),
    ],
)
def test_what_was_guessed_is_said(case: str, layout: str, words: str) -> None:
    told = read(WRITTEN[case]).understood
    assert told.layout == layout
    assert words in " ".join(told.words)


WARNED = {
    "no topic": (
        "item;tags\nSoup;a|b\nAir;\nTea;a\n",
        "line 3: 'Air;'",
    ),
    "numbers": ("item,tag,score\na,x,3\nb,y,4.5\n", "Numbers in 'score' are not used"),
    "other topics": ("item,tags,mood\na,x|y,calm\nb,y,loud\n", "'mood' may hold topics, too"),
    "other columns": ("item,tags,cook\na,x|y,Ann\nb,y,Bo\n", "Not used: 'cook'. To ask about"),
    "perhaps several": (
        'item,tag\na,x\nb,"y, z"\nc,x\nd,x\ne,x\n',
        "1 of 5 cells of 'tag' hold ',', first line 3",
    ),
    "in another case": ("item,tag\na,Jazz\nb,jazz \n", "1 topics differ from another only in case"),
    "twice": ("item,tag\na,x\na,x\nb,x\n", "1 times an item has a topic that it has already"),
}


@pytest.mark.parametrize("case", WARNED)
def test_what_is_left_out_is_pointed_out(case: str) -> None:
    text, said = WARNED[case]
    assert said in " ".join(read(text).understood.warnings)


def test_a_sure_table_is_told_without_a_warning() -> None:
    assert read(WRITTEN["commas"]).understood.warnings == []


def test_weights_may_have_a_decimal_comma() -> None:
    found = read("item;tag;Weight\na;x;0,5\nb;x;2\n").content.catalog
    assert found.weights.toarray().ravel().tolist() == [0.5, 2.0]


REFUSED = {
    "item;tag\nSoup;vegan\n\nSoup;\n": "line 4: 'Soup;' has no tag: write a topic there",
    "item;tag\nSoup;vegan;;\n": "line 2: 'Soup;vegan;;' has 4 cells, but the first line names 2",
    "item,tag,weight\na,x,1\na,y,much\n": "line 3: 'a,y,much' has the weight 'much'",
    "item,tag,weight\na,x,1\na,y,-1\n": "must be a number of at least 0",
    "Soup;vegan\nPie;sweet\n": "line 1: 'Soup;vegan' names no column of items",
    "name;minutes\nPie;3\n": "line 1: 'name;minutes' names no column of topics: call one tag",
    "item,tag\nPie,x\n,y\n": "line 3: ',y' has no item",
    'item,tag\nPie,x\n"Soup,y\nTea,x\n': "line 3: '\"Soup,y' goes on in the next line",
    "item,tag\nPie," + "x" * 201 + "\n": "a topic of 201 characters; at most 200",
    "item;tags\nAir;\nTea;\n": "is blank in every row, first in line 2: 'Air;'",
    "PK\x03\x04": "is a spreadsheet or an archive",
    "title,a,b\nPie,0,0\n": "No item has a 1 in any of the 2 columns",
}


@pytest.mark.parametrize("text", REFUSED)
def test_errors_quote_the_line(text: str) -> None:
    with pytest.raises(InvalidInput) as found:
        read(text)
    assert REFUSED[text] in str(found.value)
    assert "catalogue.csv" not in str(found.value)


STRANGE = {
    "bytes": bytes(range(256)) * 40,
    "a hundred thousand columns": b",".join([b"item,tag"] + [b"a"] * 100_000) + b"\n",
    "nothing but separators": b"item;tag\n" + b";" * 300_000,
    "quotes": b'item,tag\n"' + b'"' * 200_001,
    "no end": b'item,tag\na,"' + b"x" * 300_000,
    "empty lines": b"\n" * 10_000,
}


@pytest.mark.parametrize("case", STRANGE)
def test_what_is_no_table_is_refused_and_nothing_worse(case: str) -> None:
    with pytest.raises(InvalidInput) as found:
        from_table(STRANGE[case], ".csv")
    assert len(str(found.value)) < 1000


def test_a_file_of_the_configuration_leaves_out_foreign_images(tmp_path: Path) -> None:
    file = tmp_path / "books.csv"
    file.write_text(BOOKS, encoding="utf-8")
    bare, full = from_file(file), from_file(file, image_hosts=["img.example"])
    assert "image" not in bare.details["2"]
    assert full.details["2"]["image"] == "https://img.example/2.png"
    assert bare.source != full.source  # another configuration is another content


def test_details_are_found_by_the_common_names() -> None:
    header = ["id", "Name", "Author", "Cover", "URL", "Description", "Released", "genres"]
    roles = roles_of(header)
    assert (roles.item, roles.topics) == (0, (7,))
    assert roles.details == {
        "title": 1,
        "subtitle": 2,
        "image": 3,
        "link": 4,
        "text": 5,
        "year": 6,
    }


BOOKS = """id;Name;Author;Cover;URL;Description;Released;genres
1;Solaris;Stanislaw Lem;/covers/1.png;https://books.example/1;An ocean thinks.;1961;space|slow
2;Dune;Frank Herbert;https://img.example/2.png;not an address;;1965-08-01;space
3;Emma;;;;;long ago;slow
"""


def test_details_are_kept_and_what_cannot_be_used_is_said() -> None:
    upload = from_table(BOOKS.encode(), ".csv", image_hosts=["pictures.example"])
    assert upload.content.details == {
        "1": {
            "title": "Solaris",
            "subtitle": "Stanislaw Lem",
            "image": "/covers/1.png",
            "link": "https://books.example/1",
            "text": "An ocean thinks.",
            "year": 1961,
        },
        "2": {"title": "Dune", "subtitle": "Frank Herbert", "year": 1965},
        "3": {"title": "Emma"},
    }
    said = " ".join(upload.understood.warnings)
    assert "1 link cannot be used and is left out, first line 3: '2;Dune;" in said
    assert "1 year cannot be used and is left out, first line 4: '3;Emma;" in said
    assert "1 image on 'img.example' would not be shown" in said
    shown = from_table(BOOKS.encode(), ".csv", image_hosts=["img.example"])
    assert shown.content.details["2"]["image"] == "https://img.example/2.png"

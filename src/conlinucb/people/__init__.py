"""Who answers: the protocol, people with a hidden taste or from a log, what they do to answers."""

from conlinucb.people.answer_changes import Drifts, Lies, Refuses, YesNo
from conlinucb.people.base import Opinions, People, Place, Round
from conlinucb.people.clicks import ClickUsers
from conlinucb.people.compares import Compares
from conlinucb.people.compiled import compiled_people
from conlinucb.people.linear import Draw, LinearUsers
from conlinucb.people.logged import LoggedPeople
from conlinucb.people.part import Part, part_of, persons
from conlinucb.people.rounds import Happened, play_round

__all__ = [
    "ClickUsers",
    "Compares",
    "Draw",
    "Drifts",
    "Happened",
    "Lies",
    "LinearUsers",
    "LoggedPeople",
    "Opinions",
    "Part",
    "People",
    "Place",
    "Refuses",
    "Round",
    "YesNo",
    "compiled_people",
    "part_of",
    "persons",
    "play_round",
]

"""Documents with secrets planted in them, from a seed: what is marked, what was left unmarked on purpose, and where.

Invariant: a document is a list of paragraphs, each a list of pieces, and a piece is plain, marked or planted. Only
`as_text` and `as_paragraphs` know what a unit is, so a writer of another format needs the paragraphs alone. Whatever
the guard finds outside of a planted piece is a false alarm.

Prose comes from the reference topics that Python ships (`pydoc_data.topics`), which nobody wrote for this purpose, and
from sentences here that are traps: words and numbers that resemble the secrets and are none.
"""

import unicodedata
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pydoc_data.topics import topics
from random import Random
from typing import NamedTuple

from sieve.core.units import Mark, Unit

MARKED = "marked"
"""The form of a piece that the author marked."""
PLAIN = ""
BEYOND = "beyond: "
"""How the forms begin that no rule of the guard is made for."""


class Piece(NamedTuple):
    """Text, and what it is: plain, marked, or in which form a secret is planted in it."""

    text: str
    form: str = PLAIN


Paragraph = list[Piece]


@dataclass
class Planted:
    """A document: paragraphs, those of them that readers do not see, its name, and what was sent before."""

    paragraphs: list[Paragraph]
    name: str = "report.txt"
    name_form: str = PLAIN
    hidden: dict[int, str] = field(default_factory=dict)
    earlier: list[str] = field(default_factory=list)


class Place(NamedTuple):
    """A planted secret, and `where` in a file it was put."""

    form: str
    address: str
    start: int
    end: int
    where: str = "body"


class Laid(NamedTuple):
    """A document as the guard gets it, and where secrets are planted in it."""

    units: list[Unit]
    marks: list[Mark]
    places: list[Place]


def as_paragraphs(planted: Planted) -> Laid:
    """Each paragraph a unit."""
    laid = Laid([], [], [])
    for number, paragraph in enumerate(planted.paragraphs, 1):
        address, hides = f"document/p{number}", planted.hidden.get(number - 1, "")
        text = _lay(laid, paragraph, address, "")
        laid.units.append(Unit(address, text, "paragraph", hides))
    return laid


def as_text(planted: Planted) -> Laid:
    """All of it one unit, but for what is hidden."""
    laid = Laid([], [], [])
    text = ""
    for number, paragraph in enumerate(planted.paragraphs):
        if number not in planted.hidden:
            text = _lay(laid, paragraph, "text", text) + "\n"
    laid.units.append(Unit("text", text, "text"))
    for number, hides in planted.hidden.items():
        address = f"hidden/{number}"
        laid.units.append(Unit(address, _lay(laid, planted.paragraphs[number], address, ""), "paragraph", hides))
    return laid


def _lay(laid: Laid, paragraph: Paragraph, address: str, text: str) -> str:
    for piece in paragraph:
        end = len(text) + len(piece.text)
        if piece.form == MARKED:
            laid.marks.append(Mark(address, len(text), end))
        elif piece.form:
            laid.places.append(Place(piece.form, address, len(text), end))
        text += piece.text
    return text


def words(text: str) -> list[str]:
    """The words of a text: a list that is shorter to write this way."""
    return text.split()


_GIVEN = words("Ida Jonas Maren Petter Zoë Agnès Tomasz Ingrid Kwame Priya Lucía Henrik Farida Oskar Yusuf Beatriz")
_SURNAMES = words(
    "Halvorsen Lindqvist Okafor Brzezicki Ferreira Núñez Vandermeer Achterberg Kowalczyk Sørensen Tanaka Delacroix "
    "Müllner Abernathy Whitlock Castellane Ruokonen Hatzis"
)
_FIRST = words("North Silver Amber Quiet Broken Winter Crimson Hollow Iron Distant")
_SECOND = words("Wind Harbour Lantern Meridian Falcon Ridge Current Orchard Anvil Compass")
_HEADS = ["Operation", "Project", "Programme"]
_MONTHS = words("January February March April May June July August September October November December")

_ELSEWHERE = (
    words("januar februar mars april mai juni juli august september oktober november desember"),
    words("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
)
_IN_FRENCH = dict(
    zip(_SECOND, words("Vent Port Lanterne Méridien Faucon Crête Courant Verger Enclume Boussole"), strict=True)
)

_FRAMES = (
    ("It was agreed that ", " would be told before the end of the week."),
    ("The file mentions ", " twice, and nothing follows from it."),
    ("Nobody had heard of ", " until the letter came."),
    ("All of this goes back to ", ", as the minutes show."),
    ("", " was not on the list."),
    ("We asked about ", " and got no answer."),
)
_TRAPS = (
    "The wind had turned to the north and the harbour was quiet, as in every winter.",
    "A silver lantern hung over the ridge; the current was strong and the falcon hollow.",
    "The project began in May, the operation ended in March, and the programme goes on.",
    "Anna Berg and Peter Moss signed for the USA, the WHO and the NGO in turn.",
    "There were 1,250 copies, 12 pages each, at 3.50 a copy, on 4 shelves in room 117.",
    "On 3 February 2019 and again on 2018-06-30 the office was closed.",
    "An orchard of iron trees, a compass, an anvil: the amber light made them distant.",
    "Call 555-0100 between 9 and 17, or write to office@example.org.",
    "Winter came early. Iron was dear, silver was not. Current prices are in the annex.",
    "Quiet hours are from ten. Wind and rain kept the boats in. Distant thunder was heard.",
    "Ida Berg took the notes, and Jonas Moss read them; Ingrid had no objection.",
    "The idea was sound, and an ideal one; the maren call it a mare.",
)


@cache
def prose() -> list[str]:
    """Paragraphs of prose out of Python's reference."""
    paragraphs = (" ".join(paragraph.split()) for topic in sorted(topics) for paragraph in topics[topic].split("\n\n"))
    return [paragraph for paragraph in paragraphs if 80 < len(paragraph) < 700]


class _Secret(NamedTuple):
    text: str
    forms: dict[str, Callable[[Random], str]]


def _cyrillic(text: str) -> str:
    return text.translate(str.maketrans("aeopcxABEKMHOPCTX", "аеорсхАВЕКМНОРСТХ"))


def _greek(text: str) -> str:
    return text.translate(str.maketrans("oABEZHIKMNOPTYX", "οΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"))


def _full_width(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def _bold(text: str) -> str:
    return "".join(
        chr(0x1D400 + ord(c) - 65) if "A" <= c <= "Z" else chr(0x1D41A + ord(c) - 97) if "a" <= c <= "z" else c
        for c in text
    )


def _inside(random: Random, text: str, between: str) -> str:
    """`text` with something between two letters of its longest word."""
    word = max(text.split(), key=len)
    at = text.index(word) + random.randrange(2, len(word) - 1)
    return text[:at] + between + text[at:]


def _without_letter(random: Random, text: str) -> str:
    at = random.randrange(2, len(text) - 1)
    return text[:at] + text[at + 1 :]


def _swapped(random: Random, text: str) -> str:
    at = random.randrange(1, len(text) - 2)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def _respelt(text: str) -> str:
    for written, other in {"ø": "oe", "ü": "ue", "ñ": "ny", "k": "c", "v": "w", "ll": "l", "c": "k", "h": ""}.items():
        if written in text:
            return text.replace(written, other, 1)
    return text[:-1] + "ah"


def _phrase_forms(text: str) -> dict[str, Callable[[Random], str]]:
    return {
        "as it is": lambda _: text,
        "capitals": lambda _: text.upper(),
        "small letters": lambda _: text.lower(),
        "white space": lambda random: text.replace(" ", random.choice(["  ", "\n", "\u00a0", " \t "])),
        "soft hyphen": lambda random: _inside(random, text, "\u00ad"),
        "hyphen at the end of a line": lambda random: _inside(random, text, "-\n"),
        "end of a line without a hyphen": lambda random: _inside(random, text, "\n"),
        "zero-width character": lambda random: _inside(random, text, random.choice("\u200b\u200c\u200d\u2060\ufeff")),
        "joined words": lambda random: text.replace(" ", random.choice(["", "_", "-", "."])),
        "spaced letters": lambda _: " ".join(text.replace(" ", "")),
        "Cyrillic look-alikes": lambda _: _cyrillic(text),
        "Greek look-alikes": lambda _: _greek(text),
        "full width": lambda _: _full_width(text),
        "mathematical letters": lambda _: _bold(text),
        "decomposed": lambda _: unicodedata.normalize("NFD", text),
        "without accents": lambda _: "".join(
            c for c in unicodedata.normalize("NFD", text.replace("ø", "o")) if not unicodedata.combining(c)
        ),
        "genitive": lambda random: text + random.choice(["'s", "’s", "s"]),
    }


def _person(random: Random) -> _Secret:
    given, surname = random.choice(_GIVEN), random.choice(_SURNAMES)
    forms = _phrase_forms(f"{given} {surname}")
    forms["surname alone"] = lambda random: surname + random.choice(["", "'s", "’s"])
    forms["given name alone"] = lambda _: given
    forms["surname first"] = lambda _: f"{surname}, {given}"
    forms["initial and surname"] = lambda _: f"{given[0]}. {surname}"
    forms["surname in an address"] = lambda random: f"{random.choice([given, given[0]])}.{surname}@example.org".lower()
    forms[BEYOND + "surname in small letters"] = lambda _: surname.lower()
    forms[BEYOND + "a letter too few"] = lambda random: _without_letter(random, surname)
    forms[BEYOND + "two letters swapped"] = lambda random: _swapped(random, surname)
    forms[BEYOND + "digits for letters"] = lambda _: surname.translate(str.maketrans("oeialst", "0314157"))
    forms[BEYOND + "another spelling"] = lambda _: _respelt(surname)
    forms[BEYOND + "initials of a person"] = lambda _: f"{given[0]}. {surname[0]}."
    forms[BEYOND + "nickname"] = lambda random: given[:3].rstrip("aeiouë") + random.choice(["y", "ie", "i"])
    forms[BEYOND + "user name"] = lambda _: (given[0] + surname).lower()
    forms[BEYOND + "written backwards"] = lambda _: f"{given} {surname}"[::-1]
    forms[BEYOND + "packed as base64"] = lambda _: b64encode(f"{given} {surname}".encode()).decode()
    return _Secret(f"{given} {surname}", forms)


def _operation(random: Random) -> _Secret:
    head, first, second = random.choice(_HEADS), random.choice(_FIRST), random.choice(_SECOND)
    forms = _phrase_forms(f"{head} {first} {second}")
    forms["without its first word"] = lambda _: f"{first} {second}"
    letters = head[0] + first[0] + second[0]
    forms["acronym"] = lambda _: letters
    forms["acronym with dots"] = lambda _: ".".join(letters) + "."
    forms[BEYOND + "one of its words in a sentence"] = lambda _: second.lower()
    forms[BEYOND + "in French"] = lambda _: f"l'opération {_IN_FRENCH.get(second, second)}"
    return _Secret(f"{head} {first} {second}", forms)


def _amount(random: Random) -> _Secret:
    amount = random.randrange(1_000_000, 900_000_000)
    text = f"{amount:,}"
    return _Secret(
        text,
        {
            "number as it is": lambda _: text,
            BEYOND + "number in millions": lambda _: f"{amount / 1e6:.2f} million",
            BEYOND + "number rounded": lambda _: f"{round(amount, -5):,}",
            "number without commas": lambda _: str(amount),
            "number with other separators": lambda random: text.replace(",", random.choice([".", " ", "\u202f", "’"])),
            "number with cents or currency": lambda random: random.choice(
                ["$" + text, text + ".00", "EUR " + str(amount)]
            ),
        },
    )


def _account(random: Random) -> _Secret:
    groups = ["".join(random.choice("0123456789") for _ in range(4)) for _ in range(4)]
    groups[0] = "4" + groups[0][1:]
    text = " ".join(groups)
    return _Secret(
        text,
        {
            "account number regrouped": lambda random: random.choice(["", "-", "\u00a0"]).join(groups),
            BEYOND + "last digits of an account": lambda _: f"…{groups[3]}",
        },
    )


def _day(random: Random) -> _Secret:
    year, month, day = random.randrange(2020, 2031), random.randrange(1, 13), random.randrange(1, 29)
    name = _MONTHS[month - 1]
    return _Secret(
        f"{year}-{month:02}-{day:02}",
        {
            BEYOND + "date without its year": lambda _: f"{day} {name}",
            BEYOND + "month in another language": lambda random: (
                f"{day}. {random.choice(_ELSEWHERE)[month - 1]} {year}"
            ),
            "date in another order": lambda random: random.choice(
                [f"{day:02}.{month:02}.{year}", f"{day}/{month}/{year}", f"{month}/{day}/{year}"]
            ),
            "date in words": lambda random: random.choice(
                [
                    f"{day} {name} {year}",
                    f"{name} {day}, {year}",
                    f"{day} {name[:3]} {year}",
                    f"{day}th of {name} {year}",
                ]
                if 10 < day < 20
                else [f"{day} {name} {year}", f"{name} {day}, {year}", f"{day} {name[:3]} {year}"]
            ),
        },
    )


def _passage(random: Random) -> _Secret:
    given, surname = random.choice(_GIVEN), random.choice(_SURNAMES)
    amount = random.randrange(100_000, 999_999)
    text = f"the transfer of {amount:,} to {given} {surname} was cleared by telephone"
    return _Secret(
        text,
        {
            "passage, other line ends": lambda _: text.replace(" ", "\n", 4),
            "name out of a passage": lambda _: f"{given} {surname}",
            "surname out of a passage": lambda _: surname,
            "number out of a passage": lambda _: str(amount),
        },
    )


_SECRETS: Sequence[Callable[[Random], _Secret]] = (_person, _person, _operation, _amount, _account, _day, _passage)


def documents(seed: int, count: int) -> Iterator[Planted]:
    """`count` documents, of which every third holds no secret but the marked ones."""
    for number in range(count):
        yield document(Random(f"{seed}/{number}"), clean=number % 3 == 2)


def document(random: Random, *, clean: bool = False) -> Planted:
    """A document with some secrets marked and, unless it is to be `clean`, some planted."""
    paragraphs: list[Paragraph] = [[Piece(text)] for text in random.sample(prose(), random.randrange(4, 14))]
    paragraphs += [[Piece(text)] for text in random.sample(_TRAPS, random.randrange(1, 5))]
    planted = Planted(paragraphs)
    secrets = [make(random) for make in random.sample(_SECRETS, random.randrange(1, 4))]
    for secret in secrets:
        for _ in range(random.randrange(1, 3)):
            insert(random, paragraphs, [Piece(secret.text, MARKED)])
    if not clean:
        for secret in secrets:
            forms = random.sample(sorted(secret.forms), min(len(secret.forms), random.randrange(1, 4)))
            for form in forms:
                insert(random, paragraphs, [Piece(secret.forms[form](random), form)])
        _rarer(random, planted, secrets)
    random.shuffle(paragraphs)
    if not clean and random.random() < 0.15:
        _across_units(random, paragraphs, secrets)
    if not clean and random.random() < 0.15:
        planted.hidden[len(paragraphs)] = random.choice(["a comment", "deleted text", "a property"])
        paragraphs.append([Piece(random.choice(_TRAPS), "hidden content")])
    return planted


def insert(random: Random, paragraphs: list[Paragraph], middle: list[Piece]) -> None:
    before, after = random.choice(_FRAMES)
    paragraphs.append([Piece(before), *middle, Piece(after)])


def _rarer(random: Random, planted: Planted, secrets: list[_Secret]) -> None:
    """What is about a document rather than about a phrase."""
    chance = random.random()
    secret = random.choice(secrets)
    if chance < 0.1:
        planted.name = secret.text.lower().replace(" ", "_") + ".txt"
        planted.name_form = "name of the document"
    elif chance < 0.2:
        word = max(secret.text.split(), key=len)
        if word.isalpha() and len(word) > 5:
            rest = [
                Piece("They wrote it as "),
                Piece(word[:3], "beginning of a word"),
                Piece(word[3:], MARKED),
                Piece("."),
            ]
            planted.paragraphs.append(rest)
    elif chance < 0.3:
        answer = random.choice(["yes", "no", "guilty", "female"])
        planted.paragraphs.append(
            [Piece("To that the answer was: ", "one of a few answers"), Piece(answer, MARKED), Piece(".")]
        )


def _across_units(random: Random, paragraphs: list[Paragraph], secrets: list[_Secret]) -> None:
    named = [secret.text for secret in secrets if " " in secret.text and secret.text[0].isupper()]
    if named:
        first, _, rest = random.choice(named).partition(" ")
        form = "across two paragraphs"
        paragraphs.append([Piece("The page ends here: "), Piece(first, form)])
        paragraphs.append([Piece(rest, form), Piece(" is how the next begins.")])

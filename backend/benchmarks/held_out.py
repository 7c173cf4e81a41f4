"""What the leak guard finds of secrets that its rules were not made for: `python -m benchmarks.held_out`.

Invariant: nobody reads these texts while writing rules. Names, kinds of secrets and nearly all forms differ from those
in `planted`: they are how people write a thing who do not copy it. A miss here changes no rule. A check of later rules
needs new forms.

Brackets in a form enclose the part that tells, if that is not all of it: the guard need not find the "Dr" of a Dr
Adeyemi.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from random import Random
from typing import NamedTuple

from benchmarks import leaks, planted
from benchmarks.planted import MARKED, Paragraph, Piece, Planted, words

SEED = 90817
DOCUMENTS = 1_500

_TELLING = re.compile(r"⟨(.*?)⟩", re.DOTALL)
_GIVEN = words("Chiamaka Rosalind Mateusz Hamza Leilani Dmitri Soraya Anselm Gwendolyn Rafael Nadia Thaddeus")
_SURNAMES = words(
    "Adeyemi Chakraborty Fitzwilliam Grünwald Ishikawa Jovanović Kjærgaard Le Martínez Nguyen O'Donnell Papadopoulos "
    "Quispe Rasmussen Szymański Tremblay Varga Wexler"
)
_COMPANY = (
    ("Baltic", "Kestrel", "Granite", "Orinoco"),
    ("Shipping", "Polymers", "Analytics"),
    ("Holdings", "Partners"),
)
_NAMED = (("Copper", "Velvet", "Lone", "Midnight"), ("Sparrow", "Glacier", "Thistle", "Beacon"))
_STREETS = ("Harbour", "Chapel", "Foundry", "Willow")
_MONTHS = words("January February March April May June July August September October November December")
_MONTHS_IN_TURKISH = words("ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık")
_ROMAN = words("I II III IV V VI VII VIII IX X XI XII")
_ORDINALS = {1: "first", 2: "second", 3: "third", 5: "fifth", 9: "ninth", 12: "twelfth", 20: "twentieth"}
_KEYS = {"a": "s", "e": "r", "i": "o", "o": "p", "n": "m", "r": "t", "s": "d", "t": "y", "u": "i", "l": "k"}
_SPELT = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        words(
            "Alfa Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima Mike November Oscar Papa Quebec "
            "Romeo Sierra Tango Uniform Victor Whiskey Xray Yankee Zulu"
        ),
        strict=True,
    )
)

Forms = dict[str, Callable[[], str]]


class _Secret(NamedTuple):
    text: str
    forms: Forms


def _person(random: Random) -> _Secret:
    given, surname = random.choice(_GIVEN), random.choice(_SURNAMES)
    low, at = surname.lower(), random.randrange(1, max(2, len(surname) - 1))
    initial = random.choice("ABDKLM")
    return _Secret(
        f"{given} {surname}",
        {
            "title and surname": lambda: f"{random.choice(['Dr', 'Mr', 'Ms', 'Prof.', 'Colonel'])} ⟨{surname}⟩",
            "a middle initial": lambda: f"⟨{given}⟩ {initial}. ⟨{surname}⟩",
            "surname in capitals first": lambda: f"⟨{surname.upper()}⟩ ⟨{given}⟩",
            "given name and initial": lambda: f"⟨{given}⟩ {surname[0]}.",
            "the family": lambda: f"the ⟨{surname}⟩s",
            "a double surname": lambda: f"⟨{surname}⟩-Berg",
            "a letter doubled": lambda: surname[:at] + surname[at] + surname[at:],
            "the key beside": lambda: surname[:at] + _KEYS.get(surname[at], "x") + surname[at + 1 :],
            "a handle": lambda: "@" + f"{given}_{surname}".lower().replace("'", ""),
            "a user name, surname first": lambda: re.sub(r"\W", "", low) + given[0].lower(),
            "surname alone in an address": lambda: f"⟨{re.sub(chr(39), '', low)}⟩@example.org",
            "part of an address of a page": lambda: f"https://example.org/staff/⟨{given.lower()}-{low}⟩/cv",
            "encoded for an address": lambda: f"q=⟨{given}⟩%20⟨{surname}⟩",
            "an entity for the space": lambda: f"⟨{given}⟩&nbsp;⟨{surname}⟩",
            "points between letters": lambda: ".".join(surname),
            "surname and years": lambda: f"⟨{surname}⟩ (1961-)",
        },
    )


def _operation(random: Random) -> _Secret:
    first, second = (random.choice(names) for names in _NAMED)
    head = random.choice(["Operation", "Exercise", "Project"])
    letters = head[0] + first[0] + second[0]
    return _Secret(
        f"{head} {first} {second}",
        {
            "its name before the word": lambda: f"the ⟨{first} {second}⟩ {head.lower()}",
            "the word abbreviated": lambda: f"{head[:2]}. ⟨{first} {second}⟩",
            "a hashtag": lambda: f"#{first}{second}",
            "a variable": lambda: f"{head[:2]}_⟨{first}_{second}⟩_final".lower(),
            "first word as an initial": lambda: f"{first[0]}. ⟨{second}⟩",
            "last word alone": lambda: second,
            "initials in small letters": lambda: letters.lower(),
            "spelt on the radio": lambda: " ".join(_SPELT[letter] for letter in letters),
            "first three letters of each": lambda: f"{first[:3]}{second[:3]}".upper(),
        },
    )


def _company(random: Random) -> _Secret:
    first, second, third = (random.choice(names) for names in _COMPANY)
    name = f"{first} {second} {third} Ltd"
    return _Secret(
        name,
        {
            "without its legal form": lambda: f"{first} {second} {third}",
            "its first two words": lambda: f"{first} {second}",
            "its first word": lambda: random.choice([first, f"{first}’s"]),
            "legal form in full": lambda: f"⟨{first} {second} {third}⟩ Limited",
            "initials without the legal form": lambda: first[0] + second[0] + third[0],
            "its domain": lambda: f"www.⟨{first}{second}⟩.example".lower(),
            "with an ampersand": lambda: f"⟨{first}⟩ & Co",
        },
    )


def _amount(random: Random) -> _Secret:
    amount = random.randrange(1_100_000, 99_000_000)
    text = f"{amount:,}"
    lakhs = f"{amount // 100_000},{amount // 1_000 % 100:02},{amount % 1_000:03}"
    return _Secret(
        f"€{text}",
        {
            "m for million": lambda: f"€{amount / 1e6:.1f}m",
            "Mio. with a comma": lambda: f"⟨{amount / 1e6:.2f}".replace(".", ",") + " Mio.⟩ EUR",
            "thousands": lambda: f"{round(amount / 1e3):,}k",
            "grouped as in India": lambda: lakhs,
            "in scientific form": lambda: f"{amount:.3e}",
            "rounded to millions in words": lambda: f"some ⟨{round(amount / 1e6)} million⟩",
            "to the nearest thousand": lambda: f"{round(amount, -3):,}",
            "dash for cents": lambda: f"⟨{text}⟩.–",
        },
    )


def _account(random: Random) -> _Secret:
    digits = "".join(random.choice("0123456789") for _ in range(14))
    iban = f"GB{random.randrange(10, 99)}NWBK{digits}"
    groups = re.findall(".{1,4}", iban)
    return _Secret(
        " ".join(groups),
        {
            "IBAN in one piece": lambda: iban,
            "IBAN with dashes": lambda: "-".join(groups),
            "IBAN in small letters": iban.lower,
            "IBAN over two lines": lambda: " ".join(groups[:3]) + "\n" + " ".join(groups[3:]),
            "sort code and account": lambda: f"⟨{digits[:2]}-{digits[2:4]}-{digits[4:6]}⟩ ⟨{digits[6:]}⟩",
            "account number alone": lambda: digits[6:],
            "masked": lambda: f"**** **** ⟨{iban[-4:]}⟩",
            "account ending in": lambda: f"the account ending in ⟨{iban[-4:]}⟩",
        },
    )


def _phone(random: Random) -> _Secret:
    area, one, two = random.randrange(20, 99), random.randrange(1000, 9999), random.randrange(1000, 9999)
    return _Secret(
        f"+44 {area} {one} {two}",
        {
            "national": lambda: f"0⟨{area} {one} {two}⟩",
            "national with brackets": lambda: f"(0⟨{area}) {one}-{two}⟩",
            "two zeros for the plus": lambda: f"00⟨44{area}{one}{two}⟩",
            "local": lambda: f"{one} {two}",
            "with a zero in brackets": lambda: f"+⟨44⟩ (0) ⟨{area} {one} {two}⟩",
            "its last four digits": lambda: f"ext. ⟨{two}⟩",
        },
    )


def _day(random: Random) -> _Secret:
    year, month, day = random.randrange(2027, 2039), random.randrange(1, 13), random.choice(sorted(_ORDINALS))
    name = _MONTHS[month - 1]
    return _Secret(
        f"{day} {name} {year}",
        {
            "two digits of the year": lambda: f"{day:02}/{month:02}/{year % 100}",
            "digits in one piece": lambda: f"{year}{month:02}{day:02}",
            "dashes and a short month": lambda: f"{day}-{name[:3]}-{year}",
            "roman month": lambda: f"{day}.{_ROMAN[month - 1]}.{year}",
            "day in a word": lambda: f"the {_ORDINALS[day]} of {name}",
            "month and year": lambda: f"{name} {year}",
            "year first in words": lambda: f"{year} {name} {day}",
            "in Turkish": lambda: f"{day} {_MONTHS_IN_TURKISH[month - 1]} {year}",
            "a weekday before it": lambda: f"Friday, ⟨{day} {name}⟩",
            "in digits without a year": lambda: f"{day}.{month}.",
        },
    )


def _address(random: Random) -> _Secret:
    number, street = random.randrange(2, 240), random.choice(_STREETS)
    return _Secret(
        f"{number} {street} Lane, Dunmore",
        {
            "street abbreviated": lambda: f"⟨{number} {street}⟩ Ln",
            "number last": lambda: f"⟨{street} Lane {number}⟩",
            "street alone": lambda: f"{street} Lane",
            "without its town": lambda: f"{number} {street} Lane",
            "over two lines": lambda: f"{number} {street} Lane\nDunmore",
        },
    )


def _sentence(random: Random) -> _Secret:
    who, what = (
        random.choice(["minister", "chairwoman", "auditor"]),
        random.choice(["resign", "be charged", "be moved"]),
    )
    when = random.choice(["Thursday", "Monday"])
    text = f"the {who} will {what} on {when} before the markets open"
    return _Secret(
        text,
        {
            "its first half": lambda: text[: text.index(" on ")],
            "one word changed": lambda: text.replace("before", "after"),
            "with an omission": lambda: f"the {who} will {what} … before the markets open",
            "words in another order": lambda: f"on {when}, before the markets open, the {who} will {what}",
            "in the past": lambda: text.replace("will", "was to"),
            "retold": lambda: f"{what} before opening on {when}",
        },
    )


_KINDS: dict[str, Callable[[Random], _Secret]] = {
    "person": _person,
    "operation": _operation,
    "company": _company,
    "amount": _amount,
    "account": _account,
    "telephone": _phone,
    "date": _day,
    "address": _address,
    "sentence": _sentence,
}


def documents(seed: int, count: int) -> Iterator[Planted]:
    """`count` documents; every third holds no secret but the marked ones."""
    for number in range(count):
        yield _document(Random(f"held out/{seed}/{number}"), clean=number % 3 == 2)


def _document(random: Random, *, clean: bool) -> Planted:
    paragraphs: list[Paragraph] = [[Piece(text)] for text in random.sample(planted.prose(), random.randrange(4, 14))]
    for kind in random.sample(sorted(_KINDS), random.randrange(1, 4)):
        secret = _KINDS[kind](random)
        planted.insert(random, paragraphs, [Piece(secret.text, MARKED)])
        if not clean:
            for form in random.sample(sorted(secret.forms), random.randrange(1, 4)):
                planted.insert(random, paragraphs, [*_pieces(secret.forms[form](), f"{kind}: {form}")])
    random.shuffle(paragraphs)
    return Planted(paragraphs)


def _pieces(text: str, form: str) -> Iterator[Piece]:
    """What of it tells, as planted; all of it if no brackets say."""
    if not _TELLING.search(text):
        yield Piece(text, form)
        return
    for number, part in enumerate(_TELLING.split(text)):
        if part:
            yield Piece(part, form) if number % 2 else Piece(part)


def main() -> None:
    """Measures and prints."""
    result = leaks.tally(documents(SEED, DOCUMENTS))
    if "--missed" in sys.argv:
        print("\n".join([*result.missed, "", *result.false]))
    print(f"{result.documents} documents, {result.characters:,} characters, seed {SEED}\n")
    print("| planted as | planted | found | recall | in part |\n|---|--:|--:|--:|--:|")
    kinds: Counter[str] = Counter()
    for kind, forms in groupby(sorted(result.planted), lambda form: form.partition(": ")[0]):
        rows: Sequence[str] = [*forms]
        _row(result, f"**{kind}**", rows)
        for form in rows:
            _row(result, form.partition(": ")[2], [form])
        kinds[kind] = len(rows)
    _row(result, f"**all {kinds.total()} forms**", [*result.planted])
    leaks.print_alarms(result)


def _row(result: leaks.Tally, what: str, forms: Sequence[str]) -> None:
    planted_so, found, in_part = (
        sum(counts[form] for form in forms) for counts in (result.planted, result.found, result.in_part)
    )
    print(f"| {what} | {planted_so} | {found} | {found / planted_so:.1%} | {in_part} |")


if __name__ == "__main__":
    main()

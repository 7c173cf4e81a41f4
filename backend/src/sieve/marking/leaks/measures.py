"""Measures in other units: 1,500 kg as 1.5 t or 3,307 lb, 20 °C as 68 °F.

Invariant: conversions are exact, and rounded only to two or more digits, within 5 % of the exact value. Units that
differ by country (gallons, tons without a size) are left out.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from sieve.marking.leaks.folding import fold


class _Unit(NamedTuple):
    """`size`: of one in the unit that all of its kind are measured by; `zero`: how many of these units 0 of it is above
    that one's 0. `names`: as a person writes them, the usual ones first.
    """

    kind: str
    size: Fraction
    names: tuple[str, ...]
    zero: Fraction = Fraction(0)


def _units(kind: str, *rows: tuple[str, str]) -> list[_Unit]:
    return [_Unit(kind, Fraction(size), tuple(names.split())) for size, names in rows]


_UNITS: Final = [
    *_units(
        "mass",
        ("0.000001", "mg milligram milligrams milligrammes Milligramm"),
        ("0.001", "g gram grams gramme grammes Gramm gramos grammi"),
        ("1", "kg kilogram kilograms kilogramme kilogrammes kilo kilos Kilogramm Kilo kilogramos chili"),
        ("1000", "t tonne tonnes Tonne Tonnen toneladas tonnellate"),
        ("0.45359237", "lb lbs pound pounds libras"),
        ("0.028349523125", "oz ounce ounces onces Unzen"),
    ),
    *_units(
        "length",
        ("0.001", "mm millimetre millimetres millimeter millimeters millimètres"),
        ("0.01", "cm centimetre centimetres centimeter centimeters Zentimeter centimètres centímetros centimetri"),
        ("1", "m metre metres meter meters Meter Metern mètre mètres metros metri"),
        ("1000", "km kilometre kilometres kilometer kilometers Kilometern kilomètre kilomètres kilómetros chilometri"),
        ("1609.344", "mi mile miles Meile Meilen millas miglia"),
        ("1852", "nautical_mile nautical_miles Seemeilen"),
        ("0.9144", "yd yard yards"),
        ("0.3048", "ft foot feet Fuß pieds pies piedi"),
        ("0.0254", "inch inches Zoll pouces"),
    ),
    *_units(
        "time",
        ("1", "s sec second seconds seconde secondes Sekunde Sekunden segundos"),
        ("60", "min mins minute minutes Minute Minuten minutos minuti"),
        ("3600", "h hr hrs hour hours Std Stunde Stunden heure heures horas ore"),
        ("86400", "day days Tag Tage Tagen jour jours días giorni"),
    ),
    *_units(
        "volume",
        ("0.001", "ml millilitre millilitres milliliter milliliters Milliliter"),
        ("1", "l litre litres liter liters Liter litros litri"),
        ("100", "hl hectolitre hectolitres Hektoliter"),
    ),
    _Unit("heat", Fraction(1), ("°C", "degrees_Celsius", "degrees_centigrade", "Grad_Celsius", "degrés_Celsius")),
    _Unit("heat", Fraction(5, 9), ("°F", "degrees_Fahrenheit", "Grad_Fahrenheit"), Fraction(-160, 9)),
]
_SCALES: Final = {
    **dict.fromkeys(("thousand", "tausend", "mille", "mil"), 10**3),
    **dict.fromkeys(("million", "millions", "mio", "millionen", "millones", "milioni"), 10**6),
}
_CASED: Final = 2
"""The longest names whose capitals matter: 5 M are no metres."""
_BY_NAME: Final = {name.replace("_", " ").lower(): unit for unit in _UNITS for name in unit.names}
_NAMES: Final = "|".join(sorted((re.escape(name) for name in _BY_NAME), key=len, reverse=True))
# A space joins only groups of three digits: before "1500 kg" in "crane 7 1500 kg" ends another number.
_NUMBER: Final = r"(?:\d{1,3}(?:[ \u00a0\u202f]\d{3}(?!\d)){1,4}(?:[.,]\d{1,6})?|\d{1,12}(?:[.,'’]\d{1,6}){0,4})"
_MEASURE: Final = re.compile(
    rf"(?<![\w.,/\-\u2212€$£¥₹])(?P<number>{_NUMBER})[ \u00a0\u202f-]?(?=[^\W\d_]|°)"
    rf"(?:(?P<scale>{'|'.join(_SCALES)})\.? )?(?P<unit>{_NAMES})"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_GROUPED: Final = re.compile(r"\d{1,3}([.,'’ \u00a0\u202f])\d{3}(?:\1\d{3})*(?:(?!\1)[.,](\d+))?")
_DECIMAL: Final = re.compile(r"(\d+)(?:[.,](\d+))?")
_GOES_ON: Final = frozenset("²³/^*·")
"""After a unit: of another kind, such as km/h."""
_LEAST: Final = Fraction(1, 100)
_MOST: Final = 10**9
_DECIMALS: Final = 3
_DIGITS: Final = (2, 3, 4)
_TOLERANCE: Final = Fraction(1, 20)


def measures(phrase: str) -> Iterator[str]:
    """The measures of a phrase in all units of their kinds, as a number without groups, a space and a unit."""
    for found in _MEASURE.finditer(phrase):
        unit = _unit_of(found["unit"])
        scale = _SCALES.get(found["scale"].lower()) if found["scale"] else 1
        if unit is None or scale is None or phrase[found.end() : found.end() + 1] in _GOES_ON:
            continue
        for number in _values(found["number"]):
            yield from _in_all_units(number * scale, unit)


@lru_cache(maxsize=1024)
def _in_all_units(number: Fraction, unit: _Unit) -> tuple[str, ...]:
    """Many phrases of a document have the same measure."""
    return tuple(
        f"{value} {name.replace('_', ' ')}"
        for other in _UNITS
        if other.kind == unit.kind
        for value in _rounded((number * unit.size + unit.zero - other.zero) / other.size)
        for name in other.names
    )


def is_measure(text: str, start: int, end: int, measure: str) -> bool:
    """Whether `text` from `start` to `end` says this measure, one of `measures`, and nothing longer."""
    found = _MEASURE.fullmatch(text, start, end)
    number, _, name = measure.partition(" ")
    if found is None or found["scale"] or Fraction(number) not in _values(found["number"]):
        return False
    said = found["unit"]
    is_same = said == name if len(name) <= _CASED else fold(said) == fold(name)
    return is_same and text[end : end + 1] not in _GOES_ON


def _unit_of(name: str) -> _Unit | None:
    # To `re`, a Turkish capital dotted I equals i; to `str.lower`, it does not.
    unit = _BY_NAME.get(name.lower())
    return unit if unit is not None and (len(name) > _CASED or name in unit.names) else None


def _values(number: str) -> list[Fraction]:
    """What a number may say: 1.500 is one and a half, or fifteen hundred."""
    found: list[Fraction] = []
    if grouped := _GROUPED.fullmatch(number):
        decimals = grouped[2] or ""
        whole = "".join(filter(str.isdigit, number.removesuffix(decimals) if decimals else number))
        found.append(Fraction(f"{whole}.{decimals or 0}"))
    if decimal := _DECIMAL.fullmatch(number):
        found.append(Fraction(f"{decimal[1]}.{decimal[2] or 0}"))
    return found


def _rounded(value: Fraction) -> Iterator[str]:
    """The value, if it is short, and rounded to two digits or more, also to its whole digits."""
    if not _LEAST <= value < _MOST or value == 1:
        return
    forms: dict[str, None] = {}
    if (value * 10**_DECIMALS).denominator == 1:
        forms[_written(value)] = None
    magnitude = len(str(int(value))) if value >= 1 else 0
    for digits in _DIGITS:
        near = round(value, digits - magnitude)
        if near and abs(near - value) <= value * _TOLERANCE and len(_written(near).replace(".", "").strip("0")) > 1:
            forms[_written(near)] = None
    if magnitude > 1:
        forms[_written(Fraction(round(value)))] = None
    yield from forms


def _written(value: Fraction) -> str:
    text = f"{float(value):.6f}"
    return text.rstrip("0").rstrip(".")

"""Coordinates of places: degrees, MGRS, UTM."""

import re
from collections.abc import Iterator
from typing import Final

from sieve.marking.detectors.form import GROUP, WORD_START, Form, alone, digits_of, is_between
from sieve.marking.ranges import Range

_DECIMAL: Final = re.compile(r"([-+]?)(\d+)[.,](\d+)")
_DEGREES_OF: Final = re.compile(r"\d+(?:[.,]\d+)?")
_UNIT: Final = re.compile(r"\s?(?:mm|cm|m|km|kg|g|s|%|€)(?!\w)")


def _bare_pair(text: str, start: int, end: int) -> Iterator[Range]:
    """Without a word or letter that says so, two decimals are a place only if they are as exact as places are."""
    if not _is_whole(text, start, end) or not _is_place(text, start, end):
        return
    pair = _DECIMAL.findall(text[start:end])
    exact = all(len(decimals) >= 4 for _, _, decimals in pair)
    if exact and any(sign or int(whole) >= 10 for sign, whole, _ in pair):
        yield start, end


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether it is no part of a longer number."""
    if text[start - 1 : start] == "." or (text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit()):
        return False
    return is_between(text, start, end)


def _is_place(text: str, start: int, end: int) -> bool:
    first, second = (float(digits.replace(",", ".")) for digits in _DEGREES_OF.findall(text[start:end]))
    return min(first, second) <= 90 and max(first, second) <= 180


_ANGLE: Final = re.compile(r"([NSEWO])?\s?(\d[\d.,\s°º'′’\"″”dms-]*)(?(1)|([NSEWO])?)")
"""With a letter before it, or else after it: in "S 33° E 151°", E belongs to the second."""


def _angles(text: str, start: int, end: int) -> Iterator[Range]:
    """Degrees up to 90 or 180, minutes and seconds below 60."""
    if not is_between(text, start, end):
        return
    for before, written, after in _ANGLE.findall(text[start:end]):
        degrees, *smaller = (float(number.replace(",", ".")) for number in _DEGREES_OF.findall(written))
        limit = 90 if (before or after) in "NS" else 180
        if degrees > limit or any(number >= 60 for number in smaller):
            return
    yield start, end


def _labelled(text: str, start: int, end: int) -> Iterator[Range]:
    """What a word says is a latitude, a longitude or a pair of them."""
    label = text[start:end].lower().lstrip()
    if pair := _PAIR_AFTER_LABEL.match(text, end):
        place = pair.span(1)
        if _is_whole(text, *place) and _is_place(text, *place):
            yield place
    elif (number := _ANGLE_AFTER_LABEL.match(text, end)) and not _UNIT.match(text, number.end()):
        limit = 180 if _LONGITUDE.search(label) else 90
        if float(number[1].lstrip("+-").replace(",", ".")) <= limit:
            yield from alone(text, *number.span(1))


def _grid(text: str, start: int, end: int) -> Iterator[Range]:
    """Degrees and minutes in one piece, UTM, or MGRS."""
    written = text[start:end]
    if _COMPACT.fullmatch(written):
        yield from alone(text, start, end)
    elif _UTM_NUMBERS.search(written):
        yield from _utm(text, start, end)
    else:
        yield from _grid_reference(text, start, end)


def _grid_reference(text: str, start: int, end: int) -> Iterator[Range]:
    groups = [digits_of(group[0]) for group in GROUP.finditer(text, start, end)]
    halves = groups[1:] if len(groups) == 3 else [groups[1][::2], groups[1][1::2]]
    if 1 <= int(groups[0]) <= 60 and len(halves[0]) == len(halves[1]) and is_between(text, start, end):
        yield start, end


def _utm(text: str, start: int, end: int) -> Iterator[Range]:
    first = GROUP.findall(text[start:end])[0]
    # Without a zone, it begins with the six digits of the easting.
    if (len(first) > 2 or 1 <= int(first) <= 60) and is_between(text, start, end):
        yield start, end


_PLAIN: Final = r"[-+]?\d{1,3}\.\d{2,}"
_SECONDS: Final = r"(?:\d{1,2}(?:\.\d+)?\s?(?:[\"″”s]|''|’’|′′)\s?)?"
_DEGREES: Final = (
    rf"(?:\d{{1,3}}(?:[.,]\d+)?\s?[°ºd]\s?(?:\d{{1,2}}(?:\.\d+)?\s?['′’m]\s?{_SECONDS})?[NSEWO]"
    r"|\d{1,3}-\d{2}(?:-\d{2}(?:\.\d+)?)?[NSEW])"
)
_NEXT: Final = r"[\s,;/]{1,3}"
_RUSSIAN: Final = r"\d{1,3}(?:[.,]\d+)?\s?°\s?(?:\d{1,2}(?:[.,]\d+)?\s?['′’]\s?)?(?:\d{1,2}(?:[.,]\d+)?\s?[\"″”]\s?)?"

_COMPACT: Final = re.compile(r"\d{4,6}[NS]\s?\d{5,7}[EW]")
_UTM_NUMBERS: Final = re.compile(r"(?:^|\D)0?\d{6}\D.*\d{7}", re.DOTALL)
_LONGITUDE: Final = re.compile(r"lo?ng?\b|lo|läng|leng|dł|долг|[东西]?经")
_PAIR_AFTER_LABEL: Final = re.compile(rf"[\s:：(=]{{1,3}}({_PLAIN}[\s,;/]{{1,3}}{_PLAIN})")
_ANGLE_AFTER_LABEL: Final = re.compile(r"[\"'”]?[\s:：=]{0,3}([-+]?\d{1,3}[.,]\d{3,}|[-+]?\d{1,3}[.]\d{2})")

COORDINATES: Final = [
    Form(rf"{_RUSSIAN}[сю]\.\s?ш\.(?:[\s,;]{{0,3}}{_RUSSIAN}[вз]\.\s?д\.)?", alone),
    Form(rf"{_PLAIN}\s?[,;/]\s?{_PLAIN}", _bare_pair, case=True),
    Form(
        rf"{_DEGREES}(?:[\s,;/]{{0,3}}{_DEGREES})?"
        rf"|\d{{1,3}}[.,]\d+\s?[NS]{_NEXT}\d{{1,3}}[.,]\d+\s?[EWO]"
        rf"|\d{{1,2}} \d\d \d\d(?:\.\d+)? ?[NS]{_NEXT}\d{{1,3}} \d\d \d\d(?:\.\d+)? ?[EWO]"
        rf"|[NS]\s?\d{{1,2}}\.\d{{3,}}°?{_NEXT}[EWO]\s?\d{{1,3}}\.\d{{3,}}°?"
        rf"|\d{{1,2}}-\d\d-\d\d(?:\.\d+)? ?[NS]{_NEXT}\d{{1,3}}-\d\d-\d\d(?:\.\d+)? ?[EWO]"
        r"|[NS]\s?\d{1,2}[°º][\s\d.'′’\"″”]{2,16}[,;/]?\s?[EWO]\s?\d{1,3}[°º]"
        r"(?:[\s\d.'′’\"″”]{1,15}['′’\"″”]|\s?\d{1,2}\.\d+)"
        rf"|[NS]\s?\d{{1,2}} \d\d\.\d{{2,}}{_NEXT}[EWO]\s?\d{{1,3}} \d\d\.\d{{2,}}",
        _angles,
        case=True,
    ),
    Form(
        r"\d{4,6}[NS]\s?\d{5,7}[EW]"
        r"|\d{1,2}\s?[C-HJ-NP-X][\s,]{1,2}0?\d{6}(?:\.\d+)?(?:\s?m?E)?[\s,;]{1,2}\d{7}(?:\.\d+)?(?:\s?m?N)?"
        r"|\d{6}(?:\.\d+)?\s?m?E[\s,;]{1,2}\d{7}(?:\.\d+)?\s?m?N"
        r"|\d{1,2}\s?[C-HJ-NP-X]\s?[A-HJ-NP-Z]{2}\s?(?:\d{2,5}\s\d{2,5}|\d{4,10})",
        _grid,
        case=True,
    ),
    Form(
        rf"{WORD_START}(?:latitudine|latitude?|lat|longitudine|longitude?|long|lon|lng|breitengrad|breite|längengrad|"
        r"länge|breedtegraad|lengtegraad|szerokość|szer\.?|długość|dł\.?|широта|долгота|coordinates?|coords?|gps|position|point|koordinaten|"
        r"coordonnées|coordenadas|coordinate|координаты)|纬度|经度|[北南]纬|[东西]经|坐标",
        _labelled,
    ),
]

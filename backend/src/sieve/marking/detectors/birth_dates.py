"""Dates of birth: a date counts only if the text says that it is one."""

import re
from collections.abc import Iterator
from datetime import date
from itertools import permutations
from typing import Final

from sieve.marking.detectors.form import GROUP, WORD_START, Form, digits_of, is_between, is_unspaced
from sieve.marking.ranges import Range

_MONTHS: Final = {
    1: "jan gen ene sty янв",
    2: "feb fev fév lut фев",
    3: "mar mär maa mrt мар",
    4: "apr avr abr kwi апр",
    5: "may mai mei maj mag май мая",
    6: "jun juin giu cze июн",
    7: "jul juil lug lip июл",
    8: "aug aoû ago sie авг",
    9: "sep set wrz сен",
    10: "oct okt ott out paź окт",
    11: "nov lis ноя",
    12: "dec dez dic déc gru дек",
}
"""How the names of months begin: English, German, French, Spanish, Italian, Dutch, Swedish, Polish, Russian."""
_MONTH_BY_START: Final = {start: month for month, starts in _MONTHS.items() for start in starts.split()}
_MONTH_NAME: Final = re.compile(rf"({'|'.join(_MONTH_BY_START)})[^\W\d]*", re.IGNORECASE)


def _near_label(text: str, start: int, end: int) -> Iterator[Range]:
    """The date after a label, or before one. Python finds it: RE2 is slow at so many alternatives."""
    label = text[start:end]
    if "*" in label:
        # A star alone begins an item of a list.
        is_after_name = text[max(0, start - 2) : start].rstrip().endswith(("(", ","))
        place = (_WHOLE_DATE if is_after_name else _DATE_AND_PLACE).match(text, end - 1)
    elif label in ("日生", "日生まれ"):
        # 日 is the date's last character, too.
        ends = label == "日生まれ" or not text[end : end + 1].isalpha()
        place = _DATE_AT_END.search(text, max(0, start - _LONGEST), start + 1) if ends else None
    elif label in ("出生", "出生于", "生まれ") or label.startswith(("г.", "года")):
        place = _DATE_AT_END.search(text, max(0, start - _LONGEST), start)
        if not place and label.startswith("出生"):
            place = _AFTER_LABEL.match(text, end)
        elif not place and label.startswith("г"):
            place = _YEAR_AT_END.search(text, max(0, start - _LONGEST), start)
    elif label[-1] == ".":
        place = _AFTER_SHORT_LABEL.match(text, end)
    elif _joins(text, end) or "NATO" in label or (label.endswith("born") and text[end : end + 1] == "."):
        return
    else:
        place = _AFTER_LABEL.match(text, end) or _YEAR.match(text, end)
    if place and _dates_a_paper(text, start, end, place.start(1)):
        return
    if place and is_between(text, *place.span(1)) and _is_possible(place[1]):
        yield place.span(1)


def _dates_a_paper(text: str, start: int, end: int, date_start: int) -> bool:
    """Whether the date after a label is the day on which somebody issued a paper: "acte de naissance délivré le".

    After a label that names no paper, only a date right after that word is one.
    """
    issued = _ISSUED.search(text, end, max(end, date_start))
    if not issued:
        return False
    return bool(
        _PAPER.search(text, max(0, start - _LONGEST), end) or _RIGHT_BEFORE.fullmatch(text, issued.end(), date_start)
    )


def _joins(text: str, end: int) -> bool:
    after = text[end : end + 1]
    return after.isalpha() and not is_unspaced(after)


def _is_possible(written: str) -> bool:
    """Whether some order of its numbers is a day of the calendar."""
    numbers = [int(digits_of(group[0])) for group in GROUP.finditer(written)]
    if len(numbers) == 1:
        if numbers[0] < 10_000:  # a year alone
            return True
        numbers = [numbers[0] // 10_000, numbers[0] // 100 % 100, numbers[0] % 100]  # 19800229
    if len(numbers) == 2 and (name := _MONTH_NAME.search(written)):
        month = _MONTH_BY_START[name[1].lower()]
        return any(_is_date(year, month, day) for year, day in permutations(numbers))
    return any(_is_date(*order) for order in permutations(numbers))


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        date(year + 2000 if year < 100 else year, month, day)
    except ValueError:
        return False
    return True


_LONGEST: Final = 32
"""Characters of the longest date before a label."""
_GAP: Final = r"[\s.,/\-]{1,2}"
_OF: Final = r"(?:\s+(?:of|de|del)\s+)"
_MONTH: Final = rf"(?:{'|'.join(_MONTH_BY_START)})[^\W\d_]{{0,9}}"
_DATE: Final = (
    rf"(\d{{1,2}}(?:st|nd|rd|th|er|[ºª°])?(?:{_OF}|{_GAP}){_MONTH}(?:{_OF}|{_GAP})\d{{2,4}}"
    rf"|{_MONTH}{_GAP}\d{{1,2}}(?:st|nd|rd|th)?{_GAP}\d{{2,4}}"
    r"|\d{4}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?[日号]"
    r"|\d{4}\s?[-/.]\s?\d{1,2}\s?[-/.]\s?\d{1,2}|\d{1,2}\s?[-/.]\s?\d{1,2}\s?[-/.]\s?\d{2,4}|\d{8})"
)
# Up to the end of the sentence: "DOB unknown. Signed 3 March 1980."
_AFTER_LABEL: Final = re.compile(rf"\.?[^\d.;!?\x00]{{0,40}}?{_DATE}", re.IGNORECASE)
_AFTER_SHORT_LABEL: Final = re.compile(rf":?\s?{_DATE}", re.IGNORECASE)
_DATE_AND_PLACE: Final = re.compile(rf"{_DATE}(?=\s(?:in|zu)\s)", re.IGNORECASE)
_WHOLE_DATE: Final = re.compile(rf"{_DATE}(?![./-]?\d)", re.IGNORECASE)
_DATE_AT_END: Final = re.compile(rf"(?<![^\W_]){_DATE}\s?\Z", re.IGNORECASE)
_YEAR_AT_END: Final = re.compile(r"(?<![\w./-])((?:19|20)\d\d)\s\Z")
_YEAR: Final = re.compile(
    r"(?:\s?[:=]\s?|\s(?:in|en|nel|im)\s|(?:(?<=\sen)|(?<=\snel))\s)((?:19|20)\d\d)(?![./-]?\d)", re.IGNORECASE
)

_ISSUED: Final = re.compile(
    r"\b(?:délivré|établi|émis|issued|ausgestellt|expedid[oa]|emitid[oa]|rilasciat[oa]|emess[oa]|afgegeven|utfärdat?|"
    r"wydan[aey]|выдан[ао]?)e?s?\b",
    re.IGNORECASE,
)
_PAPER: Final = re.compile(
    r"\b(?:acte|certificat|extrait|certificate|certificato|estratto|atto|partida|acta|certificado|certidão)"
    r"\s(?:d[eiao]l?|of)\s",
    re.IGNORECASE,
)
_RIGHT_BEFORE: Final = re.compile(r"\s*(?:le|on|am|el|em|il|op|den|dnia)?\s*", re.IGNORECASE)

_LABELS: Final = (
    rf"{WORD_START}(?:born|dob|d\.\s?o\.\s?b|date[\s_]?of[\s_]?birth|birth[\s_-]?date|birthday|year\s+of\s+birth|"
    r"birth\s+year|geb\.?-?\s?dat(?:um|\.)?|geboren|geburtsdatum|geburtstag|geburtsjahr|jahrgang|geboorte(?:datum|dag|jaar)|"
    r"verjaardag|geb|née?s?\s+le|né\(e\)\s+le|née?s?\s+à|née?s?\s+en|date\s+de\s+naissance|année\s+de\s+naissance|"
    r"naissance|ddn|anniversaire|"
    r"nacid[oa]s?|nació|nacieron|(?:fecha\s+de\s+)?nacimiento|fecha\s+de\s+nac|año\s+de\s+nacimiento|"
    r"f\.\s?(?:de\s+)?nac(?:imiento)?|cumpleaños|nascid[oa]s?|data\s+de\s+nascimento|nascimento|"
    r"nat[oaie](?:/[oaie])?\s+(?:a|il|nel)|nacque|nasceva|(?:data\s+(?:di\s+)?)?nascita|anno\s+di\s+nascita|compleanno|"
    r"född(?:a|es)?|födelse(?:datum|dag|år)|født|fødsels(?:dato|dag|år)|"
    r"urodzon[yae]|urodzeni|urodził[a]?\s+się|urodziny|data\s+(?:i\s+miejsce\s+)?ur(?:odzenia|\.)|"
    r"родил(?:ся|ась|ись)|рожд[её]н[аы]?|(?:дата|день|год)\s+рождения|дата\s+рожд\.|(?:b|f|ur|род|рожд)\.)"
    r"|出生日期|出生于|生于|生日|生年月日|出生|日生まれ|生まれ|日生|г\.\s?р\.|года\s+рождения|\*\s?\d"
)

BIRTH_DATE: Final = [Form(rf"(?m){_LABELS}", _near_label)]

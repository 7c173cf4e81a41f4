"""Numbers and days in words, in English, French and German: 1,250 as one thousand two hundred and fifty, and back.

Invariant: a text is read as a number only if one of the usual spellings of this number is exactly this text.
"""

import re
from collections.abc import Iterator
from typing import Final

from sieve.marking.leaks.common_words import MONTHS, MONTHS_FRENCH, MONTHS_GERMAN

SMALLEST: Final = 100
"""Words of smaller numbers are in every text."""
LARGEST: Final = 999_999_999

_ENGLISH: Final = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen
"""
_FRENCH: Final = """
zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf
"""
_GERMAN: Final = """
null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn
achtzehn neunzehn
"""
_EN, _FR, _DE = _ENGLISH.split(), _FRENCH.split(), _GERMAN.split()
_EN_TENS: Final = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_FR_TENS: Final = ("", "", "vingt", "trente", "quarante", "cinquante", "soixante")
_DE_TENS: Final = (*("", "", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"),)
_FR_ELSEWHERE: Final = {70: ("septante",), 80: ("huitante", "octante"), 90: ("nonante",)}
_EN_DAYS: Final = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
sixteenth seventeenth eighteenth nineteenth twentieth
"""
_DE_DAYS: Final = """
ersten zweiten dritten vierten fünften sechsten siebten achten neunten zehnten elften zwölften dreizehnten vierzehnten
fünfzehnten sechzehnten siebzehnten achtzehnten neunzehnten
"""
_IDIOMS: Final = (100, 1000)
_UMLAUTS: Final = str.maketrans({"ü": "ue", "ö": "oe", "ß": "ss"})

_VALUES: Final = {
    **{word: number for words in (_EN, _FR[:17], _DE) for number, word in enumerate(words)},
    **{
        word: 10 * number for words in (_EN_TENS, _FR_TENS, _DE_TENS) for number, word in enumerate(words) if number > 1
    },
    **{word: number for number, words in _FR_ELSEWHERE.items() for word in words},
    **dict.fromkeys(("une", "eins", "eine", "a"), 1),
    **{word.translate(_UMLAUTS): number for number, word in enumerate(_DE)},
    **{word.translate(_UMLAUTS): 10 * number for number, word in enumerate(_DE_TENS) if number > 1},
    "vingts": 20,
}
_HUNDRED: Final = ("hundred", "cent", "cents", "hundert")
_SCALES: Final = {
    **dict.fromkeys(("thousand", "mille", "tausend"), 1000),
    **dict.fromkeys(("million", "millions", "millionen"), 10**6),
}
_LINKS: Final = frozenset(("and", "et", "und"))
WORDS: Final = frozenset(
    {*_VALUES, *_HUNDRED, *_SCALES, "hundreds", "thousands", "half", "demi", "milliard", "billion"}
)
"""Words of numbers; in German also at the beginning or end of a word."""
_IN_GERMAN: Final = re.compile(
    "|".join(sorted((word for word in (*_VALUES, *_HUNDRED, *_SCALES, "und") if len(word) > 2), key=len, reverse=True))
)
_TOKEN: Final = re.compile(r"[^\W\d_]+")
_BETWEEN: Final = re.compile(r",?[ \u00a0\u202f\n]{1,2}|[-\u2010\u2011]")
_MOST_WORDS: Final = 24


def spellings(number: int) -> Iterator[str]:
    """The usual spellings of a number from `SMALLEST` to `LARGEST`, in small letters; none of 100 and 1000, whose words
    also stand for "many".
    """
    if not SMALLEST <= number <= LARGEST or number in _IDIOMS:
        return
    found = dict.fromkeys((*_english(number), *_french(number), *_german(number)))
    found |= dict.fromkeys(form.translate(_UMLAUTS) for form in [*found])
    yield from found


def dates(month: int, day: int) -> Iterator[str]:
    """A day and a month with an ordinal number or the day as a word, in English, German and French."""
    number = f"{day}{ending_of(day)}"
    for name in (MONTHS[month - 1], MONTHS[month - 1][:3]):
        for said in (number, _english_day(day)):
            yield from (f"{said} of {name}", f"{said} {name}", f"{name} {said}", f"{name} the {said}")
    yield f"{_german_day(day)} {MONTHS_GERMAN[month - 1]}"
    yield f"{_french_day(day)} {MONTHS_FRENCH[month - 1]}"


def ending_of(day: int) -> str:
    """Of an ordinal number in English: st, nd, rd or th."""
    return "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _english_day(day: int) -> str:
    words = _EN_DAYS.split()
    if day <= len(words):
        return words[day - 1]
    return "thirtieth" if day == 30 else f"{_EN_TENS[day // 10]}-{words[day % 10 - 1]}"


def _german_day(day: int) -> str:
    words = _DE_DAYS.split()
    return words[day - 1] if day <= len(words) else f"{_german_small(day)}sten"


def _french_day(day: int) -> str:
    return "premier" if day == 1 else _french_small(day, elsewhere=False)


def numbers_in(phrase: str) -> Iterator[int]:
    """The numbers that a phrase spells, from `SMALLEST` on."""
    run: list[str] = []
    reached = 0
    for found in _TOKEN.finditer(phrase):
        word = found[0].lower()
        if run and not _BETWEEN.fullmatch(phrase, reached, found.start()):
            yield from _read(run)
            run = []
        reached = found.end()
        if word in WORDS or (word in _LINKS and run) or _parts(word):
            run.append(word)
        elif run:
            yield from _read(run)
            run = []
    yield from _read(run)


def has_comma_within(text: str) -> bool:
    """Whether there is a comma that follows neither thousands nor millions: six hundred, forty."""
    return any(word not in _SCALES for word in re.findall(r"([^\W\d_]+),", text.lower()))


def is_part(before: str, after: str) -> bool:
    """Whether what lies between these texts is only a part of a number in words."""
    earlier = [word.lower() for word in _TOKEN.findall(before[-24:])[-2:]]
    later = [word.lower() for word in _TOKEN.findall(after[:24])[:2]]
    touches_before = bool(re.search(r"[^\W\d_][ \u00a0\u202f\n-]{1,2}\Z", before))
    touches_after = bool(re.match(r"[ \u00a0\u202f\n-]{1,2}[^\W\d_]", after))
    if touches_before and earlier and (earlier[-1] in WORDS - {"a", "une", "eine"} or _parts(earlier[-1])):
        return True
    if touches_before and len(earlier) == 2 and earlier[1] in _LINKS and earlier[0] in WORDS:
        return True
    if touches_after and later and (later[0] in WORDS - {"a", "une", "eine"} or _parts(later[0])):
        return True
    return touches_after and len(later) == 2 and later[0] in _LINKS and later[1] in WORDS


def _read(run: list[str]) -> Iterator[int]:
    while run and run[-1] in _LINKS:
        run.pop()
    if not run or len(run) > _MOST_WORDS:
        return
    tokens = [part for word in run for part in ([word] if word in WORDS | _LINKS else _parts(word))]
    value = _value([token for token in tokens if token not in _LINKS])
    said = _squeezed(" ".join(run))
    if SMALLEST <= value <= LARGEST and any(_squeezed(form) == said for form in spellings(value)):
        yield value


def _value(tokens: list[str]) -> int:
    total = current = 0
    last = ""
    for token in tokens:
        if token in _HUNDRED:
            current = max(current, 1) * 100
        elif token in _SCALES:
            total += max(current, 1) * _SCALES[token]
            current = 0
        elif token in ("vingt", "vingts") and last == "quatre":
            current += 76
        elif token not in _VALUES:
            return 0
        else:
            current += _VALUES[token]
        last = token
    return total + current


def _parts(word: str) -> list[str]:
    """The words of numbers that a German one consists of; empty if it is none."""
    if len(word) < 7:
        return []
    found = _IN_GERMAN.findall(word)
    return found if len(found) > 1 and sum(map(len, found)) == len(word) else []


def _squeezed(text: str) -> str:
    return re.sub(r"[^\w]+", " ", text.lower())


def _english(number: int) -> Iterator[str]:
    yield from _english_by_thousands(number, " and ")
    yield from _english_by_thousands(number, " ")
    hundreds, rest = divmod(number, 100)
    if 11 <= hundreds < 100 and hundreds % 10:
        head = f"{_english_small(hundreds)} hundred"
        yield from (f"{head}{link}{_english_small(rest)}" for link in (" and ", " ")) if rest else (head,)


def _english_by_thousands(number: int, link: str) -> Iterator[str]:
    groups = [(number // 10**6, " million"), (number // 1000 % 1000, " thousand"), (number % 1000, "")]
    said = [_english_hundreds(value, link) + name for value, name in groups if value]
    yield " ".join(said)
    if number > 1000 and 0 < number % 1000 < 100:
        yield f"{' '.join(said[:-1])}{link}{said[-1]}"


def _english_hundreds(number: int, link: str) -> str:
    hundreds, rest = divmod(number, 100)
    if not hundreds:
        return _english_small(rest)
    head = f"{_EN[hundreds]} hundred"
    return f"{head}{link}{_english_small(rest)}" if rest else head


def _english_small(number: int) -> str:
    if number < 20:
        return _EN[number]
    return _EN_TENS[number // 10] + (f"-{_EN[number % 10]}" if number % 10 else "")


def _french(number: int) -> Iterator[str]:
    millions, rest = divmod(number, 10**6)
    for elsewhere in (False, True):
        said = []
        if millions:
            said.append(f"{_french_hundreds(millions, elsewhere)} million{'s' if millions > 1 else ''}")
        thousands, last = divmod(rest, 1000)
        if thousands:
            said.append("mille" if thousands == 1 else f"{_french_hundreds(thousands, elsewhere, inside=True)} mille")
        if last:
            said.append(_french_hundreds(last, elsewhere))
        yield " ".join(said)
        hundreds, small = divmod(number, 100)
        if 11 <= hundreds <= 19:  # treize cents
            yield f"{_FR[hundreds]} cent{' ' + _french_small(small, elsewhere) if small else 's'}"


def _french_hundreds(number: int, elsewhere: bool, *, inside: bool = False) -> str:
    """`inside`: before another word of the number, where vingt and cent have no s."""
    hundreds, rest = divmod(number, 100)
    if not hundreds:
        return _french_small(rest, elsewhere, inside=inside)
    head = "cent" if hundreds == 1 else f"{_FR[hundreds]} cent"
    if rest:
        return f"{head} {_french_small(rest, elsewhere, inside=inside)}"
    return f"{head}s" if hundreds > 1 and not inside else head


def _french_small(number: int, elsewhere: bool, *, inside: bool = False) -> str:
    if number < 20:
        return _FR[number]
    tens, unit = divmod(number, 10)
    if elsewhere and 10 * tens in _FR_ELSEWHERE:
        head = _FR_ELSEWHERE[10 * tens][0]
    elif tens < 7:
        head = _FR_TENS[tens]
    elif tens == 7:
        return "soixante et onze" if number == 71 else f"soixante-{_FR[number - 60]}"
    else:
        if number == 80:
            return "quatre-vingt" if inside else "quatre-vingts"
        return f"quatre-vingt-{_FR[number - 80]}"
    if not unit:
        return head
    return f"{head} et un" if unit == 1 else f"{head}-{_FR[unit]}"


def _german(number: int) -> Iterator[str]:
    millions, rest = divmod(number, 10**6)
    head = "" if not millions else "eine Million" if millions == 1 else f"{_german_hundreds(millions)} Millionen"
    thousands, last = divmod(rest, 1000)
    tails = [""]
    if rest:
        tail = _german_hundreds(last) if last else ""
        ones = ("eintausend", "tausend") if thousands == 1 else (f"{_german_hundreds(thousands)}tausend",)
        tails = [f"{one if thousands else ''}{tail}" for one in ones]
    for tail in tails:
        said = f"{head} {tail}".strip().lower()
        yield said
        if said.startswith("einhundert"):
            yield said.removeprefix("ein")
    hundreds, small = divmod(number, 100)
    if 11 <= hundreds <= 19:
        yield f"{_DE[hundreds]}hundert{_german_small(small) if small else ''}"


def _german_hundreds(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    return (f"{_DE[hundreds]}hundert" if hundreds else "") + (_german_small(rest) if rest else "")


def _german_small(number: int) -> str:
    if number < 20:
        return _DE[number] if number != 1 else "eins"
    tens, unit = divmod(number, 10)
    return f"{_DE[unit]}und{_DE_TENS[tens]}" if unit else _DE_TENS[tens]

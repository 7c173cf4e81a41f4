"""Other forms of marked names and amounts: other scripts, inflections, initials, thousands and millions.

Invariant: a form that people would read as the same name or amount is a finding; one that may be another word is only
a suggestion.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final

_CYRILLIC: Final = "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґјљњћђџ"
_ROMANISED: Final = [
    dict(zip(_CYRILLIC, latin.split(","), strict=True))
    for latin in (
        "a,b,v,g,d,e,zh,z,i,y,k,l,m,n,o,p,r,s,t,u,f,kh,ts,ch,sh,shch,,y,,e,yu,ya,e,i,yi,ye,g,j,lj,nj,c,dj,dz",
        "a,b,w,g,d,e,sch,s,i,i,k,l,m,n,o,p,r,s,t,u,f,ch,z,tsch,sch,schtsch,,y,,e,ju,ja,jo,i,ji,je,g,j,lj,nj,c,dj,dz",
        "a,b,v,g,d,e,j,z,i,i,k,l,m,n,o,p,r,s,t,ou,f,kh,ts,tch,ch,chtch,,y,,e,iou,ia,e,i,i,ie,g,j,lj,nj,c,dj,dz",
        "a,b,v,g,d,e,z,z,i,j,k,l,m,n,o,p,r,s,t,u,f,ch,c,c,s,sc,,y,,e,ju,ja,e,i,ji,je,g,j,lj,nj,c,d,dz",
        "a,b,v,g,d,e,zh,z,i,y,k,l,m,n,o,p,r,s,t,u,f,h,ts,ch,sh,sht,a,y,y,e,yu,ya,yo,y,i,ie,g,j,lj,nj,c,d,dz",
    )
]
"""In English, German, French, scientific (without its accents) and Bulgarian or Ukrainian spelling."""
_IN_CYRILLIC: Final = [
    {latin: letter for letter, latin in reversed(table.items()) if latin and letter not in without}
    for table, without in (
        (_ROMANISED[0], "эёіїєґјљњћђџ"),
        (_ROMANISED[3] | {"ч": "č", "ш": "š", "ж": "ž"}, "щйёэыьъюяіїєґ"),
    )
]
_GREEK: Final = (
    ("ου", "ou"),
    ("ευ", "ef"),
    ("αυ", "af"),
    ("γγ", "ng"),
    ("γκ", "gk"),
    ("θ", "th"),
    ("χ", "ch"),
    ("ψ", "ps"),
    *zip("αβγδεζηικλμνξοπρστυφως", "avgdeziiklmnxoprstyfos", strict=True),
)
_WITHOUT_TONOS: Final = str.maketrans("άέήίόύώϊϋΐΰ", "αεηιουωιυιυ")
_SPELLINGS: Final = (
    (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ø", "oe"), ("å", "aa"), ("đ", "dj")),
    (("š", "sh"), ("č", "ch"), ("ć", "ch"), ("ž", "zh")),
    (("ij", "y"),),
)
_UMLAUT_IN_TWO: Final = re.compile(r"(?<=[bcdfghjklmnprstvwxz])([aou])e(?=[bcdfghjklmnprstvwxz])")
_MIN_SPELLING: Final = 4

_CHANGED_ENDINGS: Final = (
    ("nen", ("sen", "selle", "selta", "sella", "sesta", "sessa", "sta")),  # Finnish
    ("ος", ("ου", "ο", "ε")),  # Greek
    ("ης", ("η",)),
    ("ας", ("α",)),
    ("άς", ("ά",)),
    ("ής", ("ή",)),
    ("ski", ("ska", "ską", "skiej", "skich", "skiego", "skiemu", "skim")),  # Polish
    ("cki", ("cka", "cką", "ckiej", "ckich", "ckiego", "ckiemu", "ckim")),
    ("as", ("ui", "ą")),  # Lithuanian
    ("iņš", ("iņu", "iņa", "iņam")),  # Latvian
    ("ко", ("ку", "ка", "ком", "кові")),  # Ukrainian
    ("ский", ("ского", "скому", "ским", "ском", "ская", "ской", "скую")),  # Russian
)
_EXACT_ENDINGS: Final = frozenset(["sche", "schen", "scher", "sches", "ová", "ové", "ovou", "ově"])
_AFTER_A_HISS: Final = frozenset(("es", "ens"))
_HISSES: Final = ("s", "x", "z", "ch", "sh")
_POSSIBLE: Final = """
a u om em ą ę ovi owi owie ov ova ovo n lle lla llä lta ltä ssa ssä sta stä nak nek val vel ban ben hoz hez höz tól
től ról ről nál nél le lt ga а у ом ым е ой ою ы ых ем ю я ові
"""
_POSSIBLE_ENDINGS: Final = frozenset(_POSSIBLE.split())
LONGEST_ENDING: Final = 5

_TWO_CAPITALS: Final = """
AC AD AG AI AM AR BA BC BV CC CD CE CO CV DC DJ DM DR DS EC EEA EG ED EN ER ES EU EX FC FM FR GB GE GM GP HD HQ HR
IC ID IE II IN IP IQ IS IT IV JR KG KO LA LP LT MA MB MC MD ME MP MR MS NB NO NV NY OK ON OR PA PC PE PH PL PM PO PR
PS QA RE SA SE SO SR ST TA TB TO TV UA UE UK UN UP US UV VI VP VS WC WE XL XX ZB
"""
_ABBREVIATIONS: Final = frozenset(_TWO_CAPITALS.split())
"""Two capitals that are mostly no initials."""

_NOUNS: Final = (
    ("the", "ship vessel boat frigate yacht ferry submarine operation project mission programme minister president "
     "director colonel general captain major inspector judge doctor professor bank hotel hospital company university "
     "school institute agency foundation museum"),
    ("das", "schiff boot projekt unternehmen hotel krankenhaus institut museum"),
    ("der", "minister präsident direktor oberst general richter doktor professor verein konzern"),
    ("die", "ministerin präsidentin direktorin richterin operation firma bank fregatte jacht stiftung"),
    ("le", "navire bateau ministre président directeur colonel général juge projet docteur"),
    ("la", "ministre directrice société banque nave ministra operación empresa operazione banca società"),
    ("l'", "opération entreprise hôtel hôpital agence operazione ospedale azienda"),
    ("el", "barco buque ministro presidente director coronel general juez proyecto banco hotel hospital"),
    ("il", "ministro presidente direttore colonnello generale giudice progetto"),
    ("het", "schip project bedrijf ziekenhuis instituut"),
    ("de", "minister president directeur kolonel generaal rechter operatie bank"),
)  # fmt: skip
ARTICLES: Final = {
    noun: tuple(article for article, nouns in _NOUNS if noun in nouns.split())
    for noun in " ".join(n for _, n in _NOUNS).split()
}
"""What a thing or a person is, with the articles that may refer to one just named. Short on purpose."""
_ALSO: Final = {"dr": "doctor", "prof": "professor", "mv": "ship", "ss": "ship", "hms": "ship"}

_CURRENCY: Final = r"[€$£¥₹]|EUR|USD|GBP|CHF|CAD|Euros?|euros?|dollars?|pounds?"
_AMOUNT: Final = re.compile(
    r"(?<![\w.,])\d{1,3}(?:([.,'’ \u00a0\u202f])\d{3})(?:\1\d{3})*(?![\d])|(?<![\w.,])\d{1,2}(?:,\d\d)+,\d{3}(?!\d)"
)
_SCALES: Final = (
    (10**3, "k thousand tsd tausend mille mil mila duizend t"),
    (10**6, "m mn mio million millions millionen millones milioni miljoen milhões млн"),
    (10**9, "b bn mrd billion milliarden milliards"),
)
_SCALE: Final = {word: size for size, words in _SCALES for word in words.split() if word != "t"}
_SCALED: Final = re.compile(
    rf"(?<![\w.,])(\d+(?:[.,]\d{{1,3}})?)\s?({'|'.join(sorted(_SCALE, key=len, reverse=True))})(?![^\W_])", re.I
)


def spellings(word: str) -> Iterator[str]:
    """A name in other alphabets, and in Latin letters without its accents: Чехов as Chekhov, Müller as Mueller."""
    small = word.lower()
    forms: set[str] = set()
    for pairs in _SPELLINGS:
        forms.add(_replaced(small, pairs))
    if any(letter in _CYRILLIC for letter in small):
        forms |= {"".join(table.get(letter, letter) for letter in small) for table in _ROMANISED}
    elif any("α" <= letter <= "ω" for letter in small.translate(_WITHOUT_TONOS)):
        latin = _replaced(small.translate(_WITHOUT_TONOS), _GREEK)
        forms |= {latin, latin.replace("ch", "h"), latin.replace("f", "ph")}
    else:
        forms |= {cyrillic for table in _IN_CYRILLIC if (cyrillic := _in_cyrillic(small, table))}
    yield from (form.capitalize() for form in sorted(forms - {small}) if len(form) >= _MIN_SPELLING)


def umlauts(word: str) -> Iterator[str]:
    """A name with an umlaut for two letters: Mueller as Müller. It may be another name: Michael, Michal."""
    if (form := _UMLAUT_IN_TWO.sub(r"\1", word)) != word:
        yield form


def inflected(word: str) -> Iterator[str]:
    """A name with endings that replace its own: Virtanen, Virtasen."""
    for own, others in _CHANGED_ENDINGS:
        if word.endswith(own) and len(word) >= len(own) + 3:
            yield from (word.removesuffix(own) + other for other in others)


def ending(name: str, tail: str) -> bool | None:
    """Whether `tail` after a name only inflects it; None if it may."""
    if tail in _EXACT_ENDINGS or (tail in _AFTER_A_HISS and name.lower().endswith(_HISSES)):
        return True
    return None if tail in _POSSIBLE_ENDINGS else False


def references(phrase: str) -> Iterator[str]:
    """How a text may refer to what a phrase names: the ship, for the ship Aurora."""
    words = [word.lower().rstrip(".,;:") for word in phrase.split()]
    if len(words) < 2:
        return
    for word in dict.fromkeys(words):
        noun = _ALSO.get(word.removeprefix("l'").removeprefix("l’"), word.removeprefix("l'").removeprefix("l’"))
        for article in ARTICLES.get(noun, ()):
            yield f"{article}{noun}" if article.endswith("'") else f"{article} {noun}"


def is_abbreviation(letters: str) -> bool:
    """Whether two capitals mostly mean something else than a person."""
    return letters in _ABBREVIATIONS


def amounts(phrase: str) -> Iterator[str]:
    """The amounts of a phrase in digits without separators: those in groups of digits, and those in thousands."""
    for found in _AMOUNT.finditer(phrase):
        yield "".join(filter(str.isdigit, found[0]))
    for found in _SCALED.finditer(phrase):
        # To `re`, a Turkish capital dotted I equals i; to `str.lower`, it does not.
        value = Fraction(found[1].replace(",", ".")) * _SCALE.get(found[2].lower(), 0)
        if value and value.denominator == 1:
            yield str(value)


def scaled(digits: str) -> Iterator[str]:
    """An amount in thousands, millions and billions, where that is exact: 1.25 k."""
    for size, words in _SCALES:
        value = Fraction(int(digits), size)
        if value >= 1 and 1000 % value.denominator == 0:
            number = f"{float(value):.3f}".rstrip("0").rstrip(".")
            yield from (f"{number} {word}" for word in words.split())


def initials(words: Sequence[str]) -> str:
    """The initials of given names: K H for Karl-Heinz."""
    return " ".join(part[0] for word in words for part in word.split("-"))


def _replaced(text: str, pairs: Iterable[tuple[str, str]]) -> str:
    for old, new in pairs:
        text = text.replace(old, new)
    return text


def _in_cyrillic(word: str, table: dict[str, str]) -> str:
    """Empty if a letter has no Cyrillic form."""
    letters, at = "", 0
    while at < len(word):
        for length in (4, 3, 2, 1):
            if letter := table.get(word[at : at + length]):
                letters += letter
                at += length
                break
        else:
            return ""
    return letters

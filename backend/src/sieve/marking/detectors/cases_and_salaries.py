"""What offices write about a person: numbers of cases and files, and salaries."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from sieve.marking.detectors.form import WORD_START, Form, after_label, digits_of, is_between
from sieve.marking.ranges import Range

_DATE: Final = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d")
_CASE: Final = re.compile(
    r"(?:\s?(?i:number|nr|no|n|akt)(?![^\W\d_]))?[\s.:#№°º]{0,3}"
    r"(\d{1,3} [A-Z][A-Za-z]{0,3} \d{1,5}/\d{2,4}|[IVX]{1,4} [A-Z]{1,3} \d{1,5}/\d{2,4}"
    r"|[A-ZÄÖÅ]{1,4} \d{1,6}[-/]\d{2,5}"
    r"|[A-ZА-Я0-9][A-Za-zА-я0-9]{0,19}(?:[-/:.][A-Za-zА-я0-9]{1,19}){1,5})"
)


def _is_case(written: str) -> bool:
    return any(character.isdigit() for character in written) and not _DATE.fullmatch(written)


_CURRENCY: Final = r"(?:[$€£¥₽元円]|zł|(?:euros?|eur|usd|cad|aud|gbp|chf|sek|nok|dkk|pln|kr|руб)(?![^\W\d_]))"
_AMOUNT: Final = r"(?:\d{1,3}(?:[ ,.'’\u00a0\u202f]\d{3})+|\d{2,8})(?:[.,]\d{1,2})?"
_SALARY: Final = re.compile(
    rf"[^\d.;!?\n\x00]{{0,40}}?((?:{_CURRENCY}\s?)?({_AMOUNT})(?!\d)(k(?![^\W\d_]))?(?:\s?{_CURRENCY})?)", re.IGNORECASE
)
_PERIOD: Final = re.compile(
    r"\.?\s?(?:(?:/|an?\s|per\s|par\s|pro\s|al\s|im\s|por\s)\s?"
    r"(?:hour|day|week|month|year|annum|heure|jour|mois|an|stunde|tag|monat|jahr|mes|año|mese|anno)"
    r"|(?:hourly|weekly|monthly|yearly|annually|monatlich|jährlich))(?![^\W\d_])",
    re.IGNORECASE,
)
_OTHER_SUMS: Final = frozenset({"paid", "makes", "gagne", "gagnent"})
"""Words that also come before prices and prizes: the sum counts only with a period after it."""
_YEARS: Final = range(1900, 2101)


def _salary(text: str, start: int, end: int) -> Iterator[Range]:
    """Without a currency, a sum has at least four digits and is no year."""
    found = _SALARY.match(text, end)
    if not found or not is_between(text, *found.span(1)) or text[end : end + 1].isalpha():
        return
    if re.sub(r"^\W+", "", text[start:end].lower()) in _OTHER_SUMS and not _PERIOD.match(text, found.end(1)):
        return
    whole = digits_of(re.split(r"[.,]\d{1,2}$", found[2])[0])
    has_currency = found[1] != found[2]
    # Python refuses to read thousands of digits as a number.
    if has_currency or len(whole) > 4 or (len(whole) == 4 and int(whole) not in _YEARS):
        yield found.span(1)


CASE_NUMBER: Final = [
    Form(
        rf"{WORD_START}(?:case|docket|file|reference|ref|az|aktenzeichen|geschäftszeichen|dossier|rg|affaire|"
        r"expediente|caso|proceso|processo|causa|mål|ärende|sagsnummer|saksnummer|zaaknummer|sygn\.\s?akt|fascicolo|дело)",
        partial(after_label, follows=_CASE, valid=_is_case),
    ),
]
SALARY: Final = [
    Form(
        rf"{WORD_START}(?:salary|salaries|wages?|compensation|(?:base|gross|net|monthly|annual)\s+pay|earns?|earned|bonus|"
        r"remuneration|(?:jahres|monats|brutto|netto)?gehalt|(?:brutto|netto|stunden)?lohn|verdient|salaire|rémunération|"
        r"salario|sueldo|stipendio|retribuzione|paid|makes|gagne(?:nt)?|(?:bruto|netto|maand|jaar)?salaris|(?:månads|års|tim)?lön|(?:måneds|års|time)?lønn?|pensja|wynagrodzenie|зарплата|оклад)|工资|薪水|年薪",
        _salary,
    ),
]

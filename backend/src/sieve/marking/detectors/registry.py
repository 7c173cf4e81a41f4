r"""The detectors of policies: what each finds, by which forms.

To add a detector, add a row to `DETECTORS`; the web interface's list and the API come from it (`make api`).

Invariant: RE2 finds candidates in linear time, and checking a candidate takes bounded time. A number with a check digit
must pass it. Anything known only by its form counts if people write that form, even if no such number was ever issued:
a detector that claims to know better than the author misses too much. What has neither form nor check counts only after
a word that says what it is: nine digits in a row are an SSN only after "SSN", and a date is one of birth only after
"born".

Digits of any script count. Numbers may be grouped by white space, including line ends, or by hyphens.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from sieve.marking.detectors.accounts import BIC, CARD, CRYPTO, IBAN, ROUTING
from sieve.marking.detectors.birth_dates import BIRTH_DATE
from sieve.marking.detectors.cases_and_salaries import CASE_NUMBER, SALARY
from sieve.marking.detectors.contacts import EMAIL, IP, PHONE
from sieve.marking.detectors.coordinates import COORDINATES
from sieve.marking.detectors.credentials import API_KEY
from sieve.marking.detectors.form import DetectorRow, Form
from sieve.marking.detectors.national_numbers import AADHAAR, NINO, NIR, PASSPORT, SIN, SSN, TAX_ID
from sieve.marking.detectors.person_names import PERSON_NAME
from sieve.marking.detectors.places import PLACE_NAME, VEHICLE_PLATE
from sieve.marking.errors import PolicyError
from sieve.marking.patterns import Pattern, encoded
from sieve.marking.ranges import Range, Ranges


class Detector:
    """Finds the hits of one detector."""

    def __init__(self, name: str) -> None:
        """Raises PolicyError: there is no detector of this name."""
        key = _key(name)
        if key not in _BY_KEY:
            raise PolicyError(f"there is no such detector; write one of {', '.join(NAMES)}")
        self._forms = _BY_KEY[key].forms
        self._worded = [form for form in self._forms if not form.wordless]
        self._across = [form for form in self._forms if form.across]

    def find(self, text: str) -> Ranges:
        """The ranges of its hits in `text`."""
        return _found(self._forms, text)

    def candidates(self, text: str) -> Iterator[Range]:
        """What its patterns match in `text`, unchecked: words before values, and values with letters. In no order."""
        data = encoded(text)
        return (hit for form in self._worded for hit in _pattern(form).find(text, data))

    def may_find_across(self, text: str) -> bool:
        """Whether a hit that may go on in the next units begins in `text`."""
        return any(_pattern(form).matches(text) for form in self._across)

    def find_across(self, text: str) -> Ranges:
        """The ranges of hits that may go on in the next units. `text`: neighbouring units with line ends between."""
        return _found(self._across, text)


def _found(forms: Sequence[Form], text: str) -> Ranges:
    data = encoded(text)  # once for all forms
    found = (place for form in forms for hit in _pattern(form).find(text, data) for place in form.check(text, *hit))
    return Ranges(found) if len(forms) == 1 else Ranges(sorted(found, key=_end))


@cache
def _pattern(form: Form) -> Pattern:
    return Pattern(form.pattern, case=form.case, group=form.group)


def _key(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def _end(place: Range) -> int:
    return place[1]


DETECTORS: Final[dict[str, DetectorRow]] = {
    "email": DetectorRow("E-mail addresses", "By their form", "anna@example.com", EMAIL),
    "phone": DetectorRow(
        "Phone numbers", "International, North American, and some national ones", "+1 416 555 0123", PHONE
    ),
    "person-name": DetectorRow(
        "Names of persons", "After a title or a common first name", "Dr Okonkwo, Anna Smith", PERSON_NAME
    ),
    "place-name": DetectorRow(
        "Names of places", "Countries, large cities, and addresses", "10 Downing Street, London", PLACE_NAME
    ),
    "vehicle-plate": DetectorRow(
        "Vehicle plates", "After “plate”, “Kennzeichen” and the like", "licence plate AB12 CDE", VEHICLE_PLATE
    ),
    "birth-date": DetectorRow("Dates of birth", "After “born”, “DOB” and the like", "born on 3 March 1980", BIRTH_DATE),
    "passport": DetectorRow(
        "Passport numbers", "After “passport”, and the lines for machines", "Passport no. C01X00T47", PASSPORT
    ),
    "canadian-sin": DetectorRow("Canadian SIN", "Check digit verified", "046 454 286", SIN),
    "us-ssn": DetectorRow("US social security numbers", "In groups, or after “SSN”", "536-90-4399", SSN),
    "uk-nino": DetectorRow("UK National Insurance numbers", "By their form", "JG 10 37 59 A", NINO),
    "french-nir": DetectorRow(
        "French social security numbers (NIR)", "Check digits verified", "2 55 08 14 168 025 38", NIR
    ),
    "german-tax-id": DetectorRow("German tax identification numbers", "Check digit verified", "36 574 261 809", TAX_ID),
    "indian-aadhaar": DetectorRow("Indian Aadhaar numbers", "Check digit verified", "2341 2341 2346", AADHAAR),
    "payment-card": DetectorRow("Payment cards", "Check digit verified", "4111 1111 1111 1111", CARD),
    "iban": DetectorRow(
        "Bank accounts (IBAN)", "Check digits and the country's form", "GB29 NWBK 6016 1331 9268 19", IBAN
    ),
    "bic": DetectorRow("Banks (BIC)", "With a digit, with XXX, or after “BIC” or “SWIFT”", "BIC COBADEFF", BIC),
    "us-routing": DetectorRow(
        "US bank routing numbers", "After “routing” or “ABA”, check digit verified", "ABA 111000025", ROUTING
    ),
    "crypto-address": DetectorRow(
        "Crypto addresses", "Bitcoin by checksum, Ethereum by form", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", CRYPTO
    ),
    "salary": DetectorRow("Salaries", "Sums after “salary”, “wage” and the like", "a salary of $85,000", SALARY),
    "case-number": DetectorRow(
        "Case and file numbers", "After “case”, “file”, “Az.” and the like", "Case No. 2024-CV-01234", CASE_NUMBER
    ),
    "api-key": DetectorRow(
        "API keys and passwords",
        "Keys by their form, values after “password” and the like",
        "Password: Tr0ub4dor&3",
        API_KEY,
    ),
    "ip-address": DetectorRow("IP addresses", "IPv4 and IPv6", "192.168.1.20", IP),
    "coordinates": DetectorRow("Coordinates", "Degrees, MGRS, UTM", "45.4215, -75.6972", COORDINATES),
}
NAMES: Final = tuple(DETECTORS)
"""As policies write them; in a policy capitals, spaces, hyphens and underscores make no difference."""

_OTHER_NAMES: Final = {
    "card": "payment-card",
    "creditcard": "payment-card",
    "sin": "canadian-sin",
    "ssn": "us-ssn",
    "dob": "birth-date",
    "dateofbirth": "birth-date",
    "datesofbirth": "birth-date",
    "ip": "ip-address",
}
_BY_KEY: Final = {_key(name): row for name, row in DETECTORS.items()} | {
    key: DETECTORS[name] for key, name in _OTHER_NAMES.items()
}

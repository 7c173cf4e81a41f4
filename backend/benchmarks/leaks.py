"""How much of what is planted the leak guard finds, and what it finds that is none: `python -m benchmarks.leaks`.

Prints the tables of docs/benchmarks/leak-guard.md, with `--speed` the last one; `--missed` lists what was missed and
what was false. Recall counts planted secrets all of whose letters lie in findings.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from benchmarks import planted
from benchmarks.planted import Laid, Place, Planted
from sieve.core.units import Mark, Unit
from sieve.marking.leaks import Finding, Findings, check
from sieve.marking.leaks.finding import NAME_ADDRESS
from sieve.marking.leaks.folding import fold

SEED = 5
DOCUMENTS = 1_500
MB = 1_000_000


@dataclass
class Tally:
    """Counted over documents; `missed` and `alarms` say what, for a closer look."""

    documents: int = 0
    clean: int = 0
    clean_with_alarms: int = 0
    characters: int = 0
    planted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    in_part: Counter[str] = field(default_factory=Counter)
    alarms: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """Of all planted secrets that a rule is made for, how many were found."""
        return sum(self.found[form] for form in self.forms) / sum(self.planted[form] for form in self.forms)

    @property
    def forms(self) -> list[str]:
        """Those that a rule is made for."""
        return sorted(form for form in self.planted if not form.startswith(planted.BEYOND))


def tally(documents: Iterable[Planted]) -> Tally:
    """Every other document as one text, the others as paragraphs."""
    result = Tally()
    for number, document in enumerate(documents):
        laid = planted.as_text(document) if number % 2 else planted.as_paragraphs(document)
        _count(result, document, laid, check(laid.units, laid.marks, name=document.name))
    return result


class Covered:
    """Which letters of the units lie in findings."""

    def __init__(self, laid: Laid, findings: Findings) -> None:
        self.texts = {unit.address: unit.text for unit in laid.units}
        self._letters: dict[str, set[int]] = {}
        for finding in findings:
            if finding.address != NAME_ADDRESS:
                self._letters.setdefault(finding.address, set()).update(self.of(finding))

    def of(self, finding: Finding) -> range:
        """The letters of one finding: of the whole unit, if it does not say."""
        whole = len(self.texts.get(finding.address, ""))
        return range(finding.start or 0, whole if finding.end is None else finding.end)

    def whole(self, place: Place) -> bool:
        """Whether all letters of a planted secret do."""
        text, letters = self.texts[place.address], self._letters.get(place.address, set())
        places = range(place.start, place.end)
        return all(at in letters for at in places if fold(text[at]) and _counts(text, at, place))

    def touches(self, place: Place) -> bool:
        """Whether any letter of it does."""
        return not self._letters.get(place.address, set()).isdisjoint(range(place.start, place.end))


def letters_of(places: Sequence[Place]) -> dict[str, set[int]]:
    """The letters of planted secrets, by address."""
    secret: dict[str, set[int]] = {}
    for place in places:
        secret.setdefault(place.address, set()).update(range(place.start, place.end))
    return secret


def _count(result: Tally, document: Planted, laid: Laid, findings: Findings) -> None:
    covered, secret = Covered(laid, findings), letters_of(laid.places)
    alarms = 0
    for finding in findings:
        if finding.address == NAME_ADDRESS:
            hit = bool(document.name_form)
        else:
            hit = not secret.get(finding.address, set()).isdisjoint(covered.of(finding))
        if not hit:
            alarms += 1
            result.alarms[finding.kind] += 1
            result.false.append(finding.sentence)
    for place in laid.places:
        result.planted[place.form] += 1
        if covered.whole(place):
            result.found[place.form] += 1
            continue
        result.in_part[place.form] += covered.touches(place)
        if not place.form.startswith(planted.BEYOND):
            result.missed.append(f"{place.form}: {covered.texts[place.address][place.start : place.end]!r}")
    if document.name_form:
        result.planted[document.name_form] += 1
        result.found[document.name_form] += any(finding.address == NAME_ADDRESS for finding in findings)
    result.documents += 1
    result.characters += sum(map(len, covered.texts.values()))
    if not laid.places and not document.name_form:
        result.clean += 1
        result.clean_with_alarms += bool(alarms)


def _counts(text: str, at: int, place: planted.Place) -> bool:
    """Whether this letter says anything: neither a genitive s nor an initial before a surname does, nor a domain."""
    if place.form == "surname in an address":
        return text.index(".", place.start) < at < text.index("@", place.start)
    genitive = at == place.end - 1 and text[at] == "s" and text[at - 1] in "'’"
    initial = at == place.start and text[at + 1 : at + 2] == "." and place.form == "initial and surname"
    currency = text[at].isalpha() and place.form == "number with cents or currency"
    cents = (
        place.form == "number with cents or currency"
        and text[place.end - 3 : place.end] == ".00"
        and at >= place.end - 3
    )
    return not (genitive or initial or currency or cents)


def _table(result: Tally, forms: list[str]) -> None:
    for form in forms:
        count, found = result.planted[form], result.found[form]
        print(f"| {form.removeprefix('beyond: ')} | {count} | {found} | {found / count:.1%} |")


def speed() -> None:
    """Prints what a check takes, the best of three."""
    draw = Random(1)
    words = ["".join(draw.choices("aeioubcdfghlmnprst", k=draw.randint(2, 9))) for _ in range(8_000)]
    english = " ".join(draw.choices(words, k=154_000))[:MB]
    accented = english.replace("a", "ä")
    cyrillic = english.translate(str.maketrans("aeioubcdfghlmnprst", "аеиоубцдфгхлмнпрст"))
    line = "secret " * (MB // 7)
    cases = {
        "English letters, 1,000 marks": (english, _spread(english, 1_000)),
        "an accent in every other word, 1,000 marks": (accented, _spread(accented, 1_000)),
        "Cyrillic, 1,000 marks": (cyrillic, _spread(cyrillic, 1_000)),
        "one letter marked 100,000 times": (
            "a b " * 250_000,
            [Mark("text", 4 * at, 4 * at + 1) for at in range(100_000)],
        ),
        "all of it one mark": (english, [Mark("text", 0, MB)]),
        "one word marked once, 142,857 times plain": (line, [Mark("text", 0, 6)]),
        "marks of a, aa, aaa ... in a text of a": ("a" * MB, [Mark("text", 300 * n, 301 * n) for n in range(250)]),
        "1,000,000 marks of 3 characters in 4 MB": (english * 4, [Mark("text", 4 * n, 4 * n + 3) for n in range(MB)]),
    }
    print("| 1 MB of | ms | findings |\n|---|--:|--:|")
    for name, (text, marks) in cases.items():
        units = [Unit("text", text, "text")]
        times = []
        for _ in range(3):
            began = time.process_time()
            findings = check(units, marks)
            times.append(time.process_time() - began)
        print(f"| {name} | {min(times) * 1e3:.0f} | {len(findings):,} |")


def _spread(text: str, count: int) -> list[Mark]:
    starts = [text.index(" ", at * (len(text) - 100) // count) + 1 for at in range(count)]
    return [Mark("text", start, text.index(" ", start + 12)) for start in starts]


def main() -> None:
    """Measures and prints; `--seed` and a number draws other documents of the same forms."""
    if "--speed" in sys.argv:
        speed()
        return
    seed = int(sys.argv[sys.argv.index("--seed") + 1]) if "--seed" in sys.argv else SEED
    result = tally(planted.documents(seed, DOCUMENTS))
    if "--missed" in sys.argv:
        print("\n".join([*result.missed, "", *result.false]))
    print(f"{result.documents} documents, {result.characters:,} characters, seed {seed}\n")
    print("| planted as | planted | found | recall |\n|---|--:|--:|--:|")
    _table(result, result.forms)
    total = sum(result.planted[form] for form in result.forms)
    print(f"| **all of these** | {total} | {total - len(result.missed)} | {result.recall:.1%} |\n")
    print("| beyond its rules | planted | found | recall |\n|---|--:|--:|--:|")
    _table(result, sorted(form for form in result.planted if form.startswith(planted.BEYOND)))
    print_alarms(result)


def print_alarms(result: Tally) -> None:
    """The table of what was found and is none."""
    print("\n| false alarms, by kind | |\n|---|--:|")
    for kind in sorted(result.alarms):
        print(f"| {kind} | {result.alarms[kind]} |")
    print(f"| for each 100,000 characters | {result.alarms.total() / result.characters * 1e5:.2f} |")
    print(f"| of {result.clean} clean documents, with any | {result.clean_with_alarms} |")


if __name__ == "__main__":
    main()

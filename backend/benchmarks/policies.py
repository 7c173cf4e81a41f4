"""What policies cost: `python -m benchmarks.policies`, in the folder `backend`.

Prints the table of docs/policies.md. Each case runs three times and the fastest counts, by the clock and by the
processor: on a machine that others use, only the latter says what the work is. Memory is of a process of its own.
"""

import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from random import Random

from sieve import marks_file
from sieve.core.units import Mark, Unit
from sieve.formats.reading import read
from sieve.marking import apply_policy
from sieve.marking.policy import Rule, parse

SEED = 5
SIZE = 10_000_000
TERMS = 10_000
HITS = 1_000_000
MIB = 1024 * 1024
LETTERS = "abcdefghijklmnopqrstuvwxyz"
CYRILLIC = str.maketrans(LETTERS + LETTERS.upper(), "абвгдежзийклмнопрстуфхцчшщАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩ")
"""A letter for each, so that texts differ in nothing else."""

DETECTORS = (
    "email",
    "phone",
    "payment-card",
    "iban",
    "canadian-sin",
    "us-ssn",
    "birth-date",
    "ip-address",
    "coordinates",
)

Case = tuple[str, Callable[[], object]]


def words() -> list[str]:
    """A vocabulary of 40,000."""
    random = Random(SEED)
    return ["".join(random.choices(LETTERS, k=random.randint(2, 11))) for _ in range(40_000)]


def prose(line_end: str = "\n") -> str:
    """10 MB of such words in lines of twelve."""
    random, vocabulary = Random(SEED + 1), words()
    lines: list[str] = []
    size = 0
    while size < SIZE:
        lines.append(" ".join(random.choices(vocabulary, k=12)).capitalize() + ".")
        size += len(lines[-1]) + len(line_end)
    return line_end.join(lines)


def with_personal_data() -> str:
    """The same, with something personal in place of every twelfth word or so."""
    random = Random(SEED + 3)
    kinds = [
        "anna.smith{0}@example.com",
        "+1 416 555 {0:04}",
        "(613) 555-{0:04}",
        "4111 1111 1111 1111",
        "GB29 NWBK 6016 1331 9268 19",
        "046 454 286",
        "536-90-{0:04}",
        "born on 3 March 19{1}",
        "192.168.{1}.{1}",
        "45.{0:04}, -75.{0:04}",
    ]
    lines = prose().split("\n")
    return "\n".join(
        f"{line[:-12]} {random.choice(kinds).format(random.randrange(10_000), random.randrange(10, 99))}"
        for line in lines
    )


def terms() -> str:
    """10,000 terms, a tenth of them phrases; the text holds each of the words some forty times."""
    random, vocabulary = Random(SEED + 2), words()
    return "\n".join(
        [*random.sample(vocabulary, TERMS * 9 // 10), *(" ".join(random.choices(vocabulary, k=2)) for _ in range(1000))]
    )


def rules(rule: str, listed: str | None = None) -> tuple[Rule, ...]:
    """The rules of a policy with this rule in it."""
    return parse(f'name = "bench"\n[[rules]]\n{rule}\n', lambda _name: listed or terms()).rules


class Count:
    """Counts the hits in a text, or in units."""

    def __init__(self, policy: tuple[Rule, ...], text: str | list[Unit]) -> None:
        self._policy = policy
        self._units = [Unit("text", text, "text")] if isinstance(text, str) else text

    def __call__(self) -> int:
        return sum(found.hit_count for found in apply_policy.hits(self._policy, self._units))


def cases() -> Iterator[Case]:
    """What is measured."""
    ascii_text, windows, german = prose(), prose("\r\n"), prose().replace("a", "ä")
    listed = 'kind = "keywords"\nkeywords_file = "terms"'
    yield "build a list of 10,000 terms", lambda: len(rules(listed))
    keywords = rules(listed)
    yield "10,000 terms, 10 MB", Count(keywords, ascii_text)
    yield "the same, lines end with CR LF", Count(keywords, windows)
    yield "the same, a letter of each other word outside ASCII", Count(keywords, german)
    cyrillic = prose().translate(CYRILLIC)
    yield "the same in Cyrillic, 10,000,000 letters", Count(rules(listed, terms().translate(CYRILLIC)), cyrillic)
    for granularity in ("word", "sentence", "paragraph"):
        wide = rules(f'{listed}\ngranularity = "{granularity}"')
        yield f"the same, granularity {granularity}", Count(wide, ascii_text)
    detectors = tuple(rule for name in DETECTORS for rule in rules(f'kind = "detector"\ndetector = "{name}"'))
    telling = with_personal_data()
    yield "nine detectors, 10 MB", Count(detectors, ascii_text)
    yield "nine detectors, 10 MB, something to find in each line", Count(detectors, telling)
    yield "nine detectors, 10,000,000 letters of Cyrillic", Count(detectors, cyrillic)
    pattern = rules('kind = "regex"\npattern = "\\\\b[a-z]+(?:ing|ed)\\\\b"')
    yield "a pattern, 10 MB", Count(pattern, ascii_text)
    yield "a pattern, 10 MB outside ASCII", Count(pattern, german)
    cells = [Unit(f"row/{i}/note", line, "cell") for i, line in enumerate(islice(ascii_text.split(), 1_000_000), 1)]
    yield "10,000 terms, 1,000,000 cells", Count(keywords, cells)


def measure(case: Case) -> str:
    """A row of the table."""
    name, work = case
    clocks, processors = [], []
    result: object = None
    for _ in range(3):
        clock, processor = time.perf_counter(), time.process_time()
        result = work()
        clocks.append(time.perf_counter() - clock)
        processors.append(time.process_time() - processor)
    return f"| {name} | {result:>9,} | {min(clocks):.2f} | {min(processors):.2f} |"


def most_memory() -> float:
    """MiB that this process had at most. Not getrusage: there a process begins with what its parent had."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def million_hits() -> None:
    """Marks a million places, to the bytes of the marks file."""
    data = b"x " * HITS
    before = most_memory()
    reading = read("x.txt", data)
    found: list[Mark] = list(apply_policy.marks(rules('kind = "keywords"\nkeywords = ["x"]'), reading.units()))
    marked = most_memory()
    size = len(marks_file.dump(reading.name, data, found, reading.spans(found)))
    written = most_memory()
    print(
        f"\n{len(found):,} hits: {marked - before:.0f} MiB more as marks, {written - before:.0f} MiB"
        f" more at most with the marks file of {size / MIB:.0f} MiB"
    )


def main() -> int:
    """Entry point."""
    print("| case | hits | s | s of processor |\n|---|---|---|---|")
    for case in cases():
        print(measure(case), flush=True)
    process = get_context("spawn").Process(target=million_hits)
    process.start()
    process.join()
    return process.exitcode or 0


if __name__ == "__main__":
    sys.exit(main())

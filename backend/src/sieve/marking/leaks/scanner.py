"""The leak scanner: finds what an author may have forgotten to mark.

Invariant: it only reports; it never marks or changes anything. Time is linear in text and marks. If something is too
large to check, a finding says so: no finding means that everything was checked.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Final, NamedTuple

from sieve.core.hidden_phrases import hidden_phrase
from sieve.core.sentence import Sentence
from sieve.core.units import Mark, Unit
from sieve.marking import apply_policy
from sieve.marking.errors import TooManyHits as PolicyHitsTooOften
from sieve.marking.leaks.file_names import stem_length
from sieve.marking.leaks.finding import (
    ACRONYM,
    DATE,
    GAP,
    HIDDEN,
    LIMIT,
    NAME,
    NAME_ADDRESS,
    NUMBER,
    PART,
    PHRASE,
    POLICY,
    SENT,
    SUGGESTION,
    TABLE,
    Finding,
    Findings,
    short,
    unit_of_name,
)
from sieve.marking.leaks.folding import Folded, fold
from sieve.marking.leaks.joined_text import Addresses, JoinedText, RangeSet, names_of
from sieve.marking.leaks.occurrences import Occurrence, Search, TooManyHits, longest_of_findings
from sieve.marking.leaks.policy_sentences import would_mark, would_mark_all, would_mark_name
from sieve.marking.leaks.revealing_gaps import gaps
from sieve.marking.leaks.search_terms import gather, phrases
from sieve.marking.leaks.term_collection import Manner, SearchTerm, SearchTerms
from sieve.marking.missing_columns import Missing, sheet_of_cell
from sieve.marking.policy import Rule

MAX_OF_A_KIND: Final = 5_000
"""Findings of one kind. With more of them, authors mark the whole document."""

_EMPTY_KINDS: Final = frozenset({"text", "paragraph", "cell", "page"})
"""Kinds of units that contain nothing if they have no text."""
_BEFORE_A_WORD: Final = frozenset(" \t\n\r\u00a0([\"'“‘«")
_AFTER_A_WORD: Final = frozenset(" \t\n\r\u00a0)]\"'”’».,;:!?")


class _Placed(NamedTuple):
    """A finding with its sort key."""

    unit: int
    start: int
    end: int
    finding: Finding


def check(
    units: Sequence[Unit],
    marks: Sequence[Mark],
    *,
    name: str = "",
    rules: Sequence[Rule] = (),
    policy: Iterable[Mark] = (),
    earlier: Iterable[str] = (),
    may_be_plain: Callable[[str], bool] = lambda address: True,
    plain_with: Callable[[Sequence[Mark]], Callable[[str], bool]] | None = None,
    implied: Sequence[Mark] = (),
    missing: Iterable[Missing] = (),
    irregular: Iterable[tuple[str, str]] = (),
) -> Findings:
    """All findings, sorted by position: those about the name first, those about limits last.

    `rules`: their unmarked hits in the units and in the name are findings; too many hits are a finding, too, and the
    check continues. `policy`: further hits. `earlier`: the plain text of each earlier transfer of this document.
    `may_be_plain`: whether hidden text at an address may travel plain, according to the format; otherwise it is
    classified without a mark, and nothing in it is a finding. `plain_with`: what `may_be_plain` is with marks; without
    it, hidden texts are separate findings where nothing is marked, too. `implied`: what else the marks classify; the
    author did not choose it, so it is not searched for elsewhere. `missing`: the rules without a column in a table.
    `irregular`: the addresses of rows whose cells may be in wrong columns, and why, if a column matters.
    """
    scanner = _Scanner(units, marks, may_be_plain, implied)
    found: list[_Placed] = []
    limits: list[Sentence] = []
    for kinds in (
        scanner.in_name(name),
        scanner.name_by_policy(name, _until_too_many(_hits(rules, [unit_of_name(name)]), limits)),
        scanner.in_text(limits),
        scanner.hidden(plain_with),
        scanner.beside_gaps(),
        scanner.of_policy(_until_too_many(chain(_hits(rules, units), policy), limits)),
        scanner.without_column(missing),
        scanner.irregular(irregular),
        scanner.sent(earlier, limits),
    ):
        counts: Counter[str] = Counter()
        for placed in kinds:
            kind = placed.finding.kind
            if counts[kind] == MAX_OF_A_KIND:
                limits.append(
                    Sentence(
                        "leak-too-many",
                        "There are more than {limit} findings of one kind; these are the first",
                        limit=MAX_OF_A_KIND,
                    )
                )
                break
            counts[kind] += 1
            found.append(placed)
    if scanner.terms.cut_short:
        limits.append(
            Sentence(
                "leak-much-marked",
                "There is too much marked text to search for; only the first part of it was searched for",
            )
        )
    found.sort(key=lambda placed: (placed.finding.kind == SUGGESTION, placed[:3]))
    placeless = (Finding(LIMIT, "", None, None, sentence) for sentence in dict.fromkeys(limits))
    return (*(placed.finding for placed in found), *placeless)


class _Scanner:
    def __init__(
        self, units: Sequence[Unit], marks: Sequence[Mark], may_be_plain: Callable[[str], bool], implied: Sequence[Mark]
    ) -> None:
        self.joined = JoinedText(units)
        self.marks = marks
        self._may_be_plain = may_be_plain
        ranges = self.joined.ranges(marks)
        self.chosen = RangeSet(ranges)
        self.marked = RangeSet(sorted([*ranges, *self.joined.ranges(implied)])) if implied else self.chosen
        self.terms: SearchTerms = gather(self.joined.text, self.chosen, ranges)
        self._search = Search(self.terms)

    def in_name(self, name: str) -> Iterator[_Placed]:
        """Marked text in the document's name."""
        stem = stem_length(name)
        try:
            for start, end, term in longest_of_findings(self._search.occurrences(Folded(name), as_name=True)):
                if start > stem:
                    continue
                kind = SUGGESTION if term.kind == SUGGESTION else NAME
                if term.text == term.origin:
                    sentence = Sentence(
                        "leak-name",
                        "The document's name, which travels plain, contains “{text}”",
                        text=short(term.text),
                    )
                else:
                    sentence = Sentence(
                        "leak-name-part",
                        "The document's name, which travels plain, contains “{text}”, from the marked “{origin}”",
                        text=short(term.text),
                        origin=short(term.origin),
                    )
                yield _Placed(-1, start, end, Finding(kind, NAME_ADDRESS, start, end, sentence, term.group))
        except TooManyHits:
            pass  # Such a long name is not checked further, and no gateway accepts it.

    def name_by_policy(self, name: str, hits: Iterable[Mark]) -> Iterator[_Placed]:
        """What the policy would mark in the document's name, which cannot be marked."""
        for hit in hits:
            start, end = (0, len(name)) if hit.start is None or hit.end is None else (hit.start, hit.end)
            if start > stem_length(name):
                continue
            sentence = would_mark_name(hit, name[start:end])
            yield _Placed(-1, start, end, Finding(POLICY, NAME_ADDRESS, start, end, sentence, hit.rule))

    def in_text(self, limits: list[Sentence]) -> Iterator[_Placed]:
        """Marked text that is unmarked elsewhere."""
        occurrences: list[Occurrence] = []
        try:
            for occurrence in self._search.occurrences(Folded(self.joined.text), self.marked):
                if not self._is_other_number(occurrence):
                    occurrences.append(occurrence)
                    if len(occurrences) > 4 * MAX_OF_A_KIND:
                        raise TooManyHits
        except TooManyHits:
            limits.append(
                Sentence(
                    "leak-many-places", "Marked phrases occur in too many other places; only the first were checked"
                )
            )
        for start, end, term in longest_of_findings(self._without_common_words(occurrences)):
            for plain_start, plain_end in self.marked.gaps(start, end):
                yield from self._place(plain_start, plain_end, term.kind, term.group, self._sentence(term, start, end))

    def hidden(self, plain_with: Callable[[Sequence[Mark]], Callable[[str], bool]] | None) -> Iterator[_Placed]:
        """Units that readers do not see and that are not marked.

        If nothing is marked, what a mark on the first of them also classifies is one finding with it.
        """
        together = self._hidden_together(plain_with) if plain_with and not self.marks else []
        if len(together) > 1:
            yield self._hidden_with_others(together[0], len(together) - 1)
        known = set(together) if len(together) > 1 else ()
        for number, unit in enumerate(self.joined.units):
            if not unit.hidden or number in known:
                continue
            hidden = hidden_phrase(unit.hidden)
            if not unit.text:
                # Content that cannot be read, such as an embedded file or a thumbnail.
                is_marked = unit.kind in _EMPTY_KINDS or self._marked_whole.holds(unit.address)
                if not is_marked and self._may_be_plain(unit.address):
                    sentence = Sentence(
                        "leak-hidden-unread",
                        "“{address}” is {hidden} and has no text to check, but would travel plain",
                        address=short(unit.address),
                        hidden=hidden,
                    )
                    finding = Finding(HIDDEN, unit.address, None, None, sentence, unit.hidden)
                    yield _Placed(number, 0, 0, finding)
                continue
            start, end = self.joined.bounds(number)
            plain = [piece for piece in (self._trim(*gap) for gap in self.marked.gaps(start, end)) if piece]
            if plain and self._may_be_plain(unit.address):
                # Unchanged, with a bracket at its end, unless part of it is marked.
                first = plain[0] if self.marked.touches(start, end) else (start, end)
                sentence = Sentence(
                    "leak-hidden",
                    "“{text}” is {hidden}: readers may not see it, but it would travel plain",
                    text=short(self.joined.text[first[0] : first[1]]),
                    hidden=hidden,
                )
                yield self._at(number, plain[0][0], plain[-1][1], HIDDEN, unit.hidden, sentence)

    def _hidden_together(self, plain_with: Callable[[Sequence[Mark]], Callable[[str], bool]]) -> list[int]:
        """The first hidden unit with text, and those that a mark on it would classify, too."""
        numbers = [
            number
            for number, unit in enumerate(self.joined.units)
            if unit.hidden and unit.text and self._trim(*self.joined.bounds(number))
        ]
        if not numbers:
            return []
        may_be_plain = plain_with([Mark(self.joined.units[numbers[0]].address)])
        others = (number for number in numbers[1:] if not may_be_plain(self.joined.units[number].address))
        return [numbers[0], *others]

    def _hidden_with_others(self, number: int, count: int) -> _Placed:
        unit = self.joined.units[number]
        start, end = self._trim(*self.joined.bounds(number)) or self.joined.bounds(number)
        sentence = Sentence(
            "leak-hidden-several",
            "“{text}” ({hidden}) and {count} other texts that readers may not see would travel plain;"
            " marking it classifies all of them",
            one="“{text}” ({hidden}) and another text that readers may not see would travel plain;"
            " marking it classifies both",
            text=short(self.joined.text[start:end]),
            hidden=hidden_phrase(unit.hidden),
            count=count,
        )
        return self._at(number, start, end, HIDDEN, "hidden", sentence)

    def beside_gaps(self) -> Iterator[_Placed]:
        """Plain text that reveals what is in a gap."""
        for start, end, group, sentence in gaps(self.joined, self.chosen):
            yield from self._place(start, end, GAP, group, sentence)

    def of_policy(self, hits: Iterable[Mark]) -> Iterator[_Placed]:
        """What the policy would mark and is not marked."""
        numbers = {unit.address: number for number, unit in enumerate(self.joined.units)}
        for hit in hits:
            number = numbers.get(hit.address)
            if hit.start is not None and hit.end is not None:
                if number is None:
                    continue
                unit_start, unit_end = self.joined.bounds(number)
                start, end = unit_start + max(0, hit.start), min(unit_start + hit.end, unit_end)
                for gap in self.marked.gaps(start, end):
                    yield from self._place(*gap, POLICY, hit.rule, would_mark(hit, self.joined.text[gap[0] : gap[1]]))
                continue
            # Content without text, such as a picture, is marked by its address alone.
            has_text = hit.address in self._names
            is_open = number is None or self._can_be_plain(number)
            if hit.address in self._plain_names or (
                is_open and not (has_text or self._marked_whole.holds(hit.address))
            ):
                finding = Finding(POLICY, hit.address, None, None, would_mark_all(hit), hit.rule)
                yield _Placed(-1 if number is None else number, 0, 0, finding)

    def without_column(self, missing: Iterable[Missing]) -> Iterator[_Placed]:
        """Rules that could not check tables with plain cells: one finding for all tables, at the first of them, so that
        authors read it.
        """
        for one in missing:
            tables = tuple(table for table in one.tables if table in self._first_plain)
            if tables:
                first = tables[0]
                finding = Finding(POLICY, first, None, None, one._replace(tables=tables).sentence, one.rule.id)
                yield _Placed(self._first_plain[first] if first else -1, 0, 0, finding)

    def irregular(self, rows: Iterable[tuple[str, str]]) -> Iterator[_Placed]:
        """Rows with plain cells that may contain what belongs to another column."""
        numbers: dict[str, int] = {}
        for number, unit in enumerate(self.joined.units):
            numbers.setdefault("/".join(unit.address.split("/", 2)[:2]), number)
        for address, why in rows:
            if address in self._plain_names:
                sentence = Sentence(
                    "leak-irregular-row",
                    "“{address}” {why}: part of a classified column may be in another column there",
                    address=short(address),
                    why=why,
                )
                yield _Placed(numbers[address], 0, 0, Finding(TABLE, address, None, None, sentence, why))

    @cached_property
    def _first_plain(self) -> dict[str, int]:
        """The first unit with plain text among each sheet's cells; under an empty address, among all but headings."""
        first: dict[str, int] = {}
        for number, unit in enumerate(self.joined.units):
            sheet = sheet_of_cell(unit.address)
            tables = [sheet] if sheet else []
            if not unit.address.startswith("row/0"):
                tables.append("")
            tables = [table for table in tables if table not in first]
            if tables and self._is_plain_in(number):
                first.update(dict.fromkeys(tables, number))
        return first

    def _is_plain_in(self, number: int) -> bool:
        """Whether anything that reveals something travels plain in a unit."""
        return self._can_be_plain(number) and any(
            self._trim(*gap) for gap in self.marked.gaps(*self.joined.bounds(number))
        )

    def sent(self, earlier: Iterable[str], limits: list[Sentence]) -> Iterator[_Placed]:
        """Marks whose text is in the plain text of an earlier transfer."""
        folds: set[str] = set()
        try:
            for text in earlier:
                for _, _, term in self._search.occurrences(Folded(text)):
                    if term.kind == PHRASE:
                        folds.add(term.folded)
        except TooManyHits:
            limits.append(
                Sentence(
                    "leak-many-earlier-places",
                    "Marked phrases occur in too many places of earlier transfers; only the first were checked",
                )
            )
        if not folds:
            return
        known: dict[str, bool] = {}
        for start, end in self.chosen:
            text = self.joined.text[start:end]
            if text not in known:
                known[text] = any(self.terms.folded(phrase) in folds for phrase in phrases(text))
            if known[text]:
                number = self.joined.number_at(start)
                sentence = Sentence(
                    "leak-sent-before",
                    "“{text}” is marked now, but an earlier transfer of this document sent it plain",
                    text=short(text),
                )
                yield self._at(number, start, end, SENT, fold(text[:64]), sentence)

    @cached_property
    def _marked_whole(self) -> Addresses:
        return Addresses(mark.address for mark in self.marks if mark.start is None)

    @cached_property
    def _names(self) -> set[str]:
        """Every address that covers a unit with text."""
        return set(chain.from_iterable(names_of(unit.address) for unit in self.joined.units if unit.text))

    @cached_property
    def _plain_names(self) -> set[str]:
        """Every address that covers a unit with plain text."""
        return set(
            chain.from_iterable(
                names_of(unit.address) for number, unit in enumerate(self.joined.units) if self._is_plain_in(number)
            )
        )

    def _can_be_plain(self, number: int) -> bool:
        """Whether unmarked text of a unit travels plain: visible text does, and hidden text if its format says so."""
        unit = self.joined.units[number]
        return not unit.hidden or self._may_be_plain(unit.address)

    def _is_other_number(self, occurrence: Occurrence) -> bool:
        """Whether the digits are in two adjacent units, and so not one number."""
        start, end, term = occurrence
        return term.is_number and self.joined.number_at(start) != self.joined.number_at(end - 1)

    def _without_common_words(self, occurrences: list[Occurrence]) -> list[Occurrence]:
        """Leaves out parts of names where they are separate lower-case words, and everywhere if that is more frequent
        than capitals: "Wind", from a name, in a text about wind.
        """
        small = [
            found.term.kind in (PART, SUGGESTION)
            and found.term.manner not in (Manner.COINED, Manner.REFERENCE)
            and self._is_small_word(found.start, found.end)
            for found in occurrences
        ]
        common: Counter[str] = Counter()
        for found, is_small in zip(occurrences, small, strict=True):
            common[found.term.folded] += 1 if is_small else -1
        return [
            found
            for found, is_small in zip(occurrences, small, strict=True)
            if not is_small and (found.term.kind != PART or common[found.term.folded] <= 0)
        ]

    def _is_small_word(self, start: int, end: int) -> bool:
        text = self.joined.text
        return (
            text[start].islower()
            and (start == 0 or text[start - 1] in _BEFORE_A_WORD)
            and (end == len(text) or text[end] in _AFTER_A_WORD)
        )

    def _sentence(self, term: SearchTerm, start: int, end: int) -> Sentence:
        found = self.joined.text[start:end]
        text, origin = short(found), short(term.origin)
        if term.kind == SUGGESTION and term.manner is Manner.REFERENCE:
            return Sentence("leak-reference", "“{text}” may refer to the marked “{origin}”", text=text, origin=origin)
        if term.kind == SUGGESTION:
            return Sentence(
                "leak-suggestion", "“{text}” may be another form of the marked “{origin}”", text=text, origin=origin
            )
        if term.kind == PHRASE and found == term.text:
            return Sentence("leak-elsewhere", "“{text}” is marked elsewhere, but not here", text=text)
        if term.kind == PHRASE or term.kind == DATE:
            return Sentence(
                "leak-other-spelling",
                "“{text}” is the marked “{origin}”, written in another way",
                text=text,
                origin=short(term.text) if term.kind == PHRASE else origin,
            )
        if term.manner is Manner.MISSPELT:
            return Sentence(
                "leak-misspelt", "“{text}” may be part of the marked “{origin}”, misspelt", text=text, origin=origin
            )
        if term.kind == ACRONYM:
            return Sentence(
                "leak-acronym", "“{text}” are the first letters of the marked “{origin}”", text=text, origin=origin
            )
        if term.kind == NUMBER:
            return Sentence(
                "leak-number",
                "“{text}” is a number from the marked “{origin}”, or derived from one",
                text=text,
                origin=origin,
            )
        return Sentence("leak-part", "“{text}” is part of the marked “{origin}”", text=text, origin=origin)

    def _trim(self, start: int, end: int) -> tuple[int, int] | None:
        """The range without other characters than letters and digits at its ends; None if nothing is left."""
        text = self.joined.text
        while start < end and not fold(text[start]):
            start += 1
        while start < end and not fold(text[end - 1]):
            end -= 1
        return (start, end) if start < end else None

    def _place(self, start: int, end: int, kind: str, group: str, sentence: Sentence) -> Iterator[_Placed]:
        for number, piece_start, piece_end in self.joined.pieces(start, end):
            if self._can_be_plain(number) and (trimmed := self._trim(piece_start, piece_end)):
                yield self._at(number, *trimmed, kind, group, sentence)

    def _at(self, number: int, start: int, end: int, kind: str, group: str, sentence: Sentence) -> _Placed:
        first, _ = self.joined.bounds(number)
        address = self.joined.units[number].address
        return _Placed(
            number, start - first, end - first, Finding(kind, address, start - first, end - first, sentence, group)
        )


def _hits(rules: Sequence[Rule], units: Sequence[Unit]) -> Iterable[Mark]:
    return apply_policy.marks(rules, units) if rules else ()


def _until_too_many(hits: Iterable[Mark], limits: list[Sentence]) -> Iterator[Mark]:
    """The hits, up to the first error for too many hits, which becomes a limit."""
    try:
        yield from hits
    except PolicyHitsTooOften as error:
        limits.append(error.sentence)

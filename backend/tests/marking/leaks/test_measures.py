"""Measures in other units."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.marking.leaks import other_forms
from sieve.marking.leaks.finding import NUMBER
from sieve.marking.leaks.folding import fold
from sieve.marking.leaks.measures import is_measure, measures
from sieve.marking.leaks.search_terms import gather
from sieve.marking.leaks.term_collection import Manner

IN_KILOGRAMS = {"kg": Fraction(1), "t": Fraction(1000), "g": Fraction(1, 1000), "lb": Fraction("0.45359237")}


def in_unit(phrase: str, unit: str) -> set[str]:
    return {number for number, _, name in (form.partition(" ") for form in measures(phrase)) if name == unit}


@pytest.mark.parametrize(
    ("phrase", "unit", "expected"),
    [
        ("1500 kg", "t", {"1.5"}),
        ("1500 kg", "kg", {"1500"}),
        ("1500 kg", "lb", {"3300", "3310", "3307"}),
        ("3 miles", "km", {"4.8", "4.83", "4.828"}),
        ("20 °C", "°F", {"68"}),
        ("10 °F", "°C", set()),
        ("98.6 °F", "°C", {"37"}),
        ("2.5 million tonnes", "kg", set()),
        ("2.5 million litres", "hl", {"25000"}),
        ("1 km", "km", set()),
        ("5 M", "cm", set()),
        ("80 km/h", "mi", set()),
        ("$5 m", "cm", set()),
        ("−5 °C", "°F", set()),
        ("version 3.4.8 km", "m", set()),
        ("1 500 kg", "t", {"1.5"}),
        ("crane 7 1500 kg", "t", {"1.5"}),
        ("truck 7 1,500 kg", "t", {"1.5"}),
        ("crate 12 12 500,5 kg", "t", {"12.5", "13"}),
        ("2026 20 °C", "°F", {"68"}),
    ],
)
def test_a_measure_is_converted_and_rounded(phrase: str, unit: str, expected: set[str]) -> None:
    assert in_unit(phrase, unit) == expected


@given(st.integers(1, 10**8), st.integers(0, 2), st.sampled_from(sorted(IN_KILOGRAMS)))
def test_every_form_is_within_the_tolerance_and_reads_as_itself(number: int, decimals: int, unit: str) -> None:
    value = Fraction(number, 10**decimals)
    phrase = f"{float(value):.{decimals}f} {unit}"
    for form in measures(phrase):
        written, _, name = form.partition(" ")
        if name in IN_KILOGRAMS:
            exact = value * IN_KILOGRAMS[unit]
            # A number with three decimals may be grouped thousands as well, and there are at most two here.
            assert abs(Fraction(written) * IN_KILOGRAMS[name] - exact) <= exact / 20
        assert is_measure(f"It is {form}.", 6, 6 + len(form), form)
        if written.isdigit():
            grouped = f"{int(written):,} {name}"
            assert is_measure(grouped, 0, len(grouped), form)
        assert not is_measure(f"1.{form}", 2, 2 + len(form), form)
        assert not is_measure(f"{form}/h", 0, len(form), form)


def test_long_lists_of_numbers_take_linear_time() -> None:
    assert list(measures("1 " * 200_000)) == []


@given(st.from_regex(r"\d{1,3} ?(mİllİon |mıllıon )?([kKgGlLiİıIsSſtTrReEmMhHnN]{1,6})", fullmatch=True))
def test_letters_that_only_a_pattern_takes_for_others_are_no_fault(phrase: str) -> None:
    assert all([*measures(phrase), *other_forms.amounts(phrase)])
    assert in_unit("3 LİTRE", "ml") == in_unit("5 KİLO", "g") == set()


def test_an_amount_in_millions_stays_a_finding_beside_a_measure() -> None:
    for marked in ("15 m yacht, EUR 1,500,000", "1,500 mm, EUR 1,500,000"):
        found = gather(marked, [(0, len(marked))], []).by_fold[fold("1.5 m")]
        assert (found.kind, found.manner, found.text) == (NUMBER, Manner.DECIMAL, "1.5 m")

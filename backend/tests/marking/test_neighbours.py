"""A private key is found whole where each of its lines is a unit."""

import string
from collections.abc import Callable, Sequence
from io import BytesIO
from unittest.mock import patch

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odf_files import odt_of
from office_files import docx_of
from pptx_files import paragraph, pptx_of, shape
from sieve.core.units import Cell, Unit
from sieve.formats.reading import read
from sieve.marking import apply_policy, neighbours
from sieve.marking.policy import parse

API_KEYS = parse('name = "n"\n[[rules]]\nkind = "detector"\ndetector = "api-key"', str).rules

LINE = st.text(string.ascii_letters + string.digits + "+/", min_size=64, max_size=64)
KEYS = st.builds(
    lambda kind, headers, body, last: [
        f"-----BEGIN {kind}PRIVATE KEY-----",
        *headers,
        *body,
        *last,
        *([f"-----END {kind}PRIVATE KEY-----"]),
    ],
    st.sampled_from(["", "RSA ", "EC ", "OPENSSH "]),
    st.sampled_from([[], ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0123", ""]]),
    st.lists(LINE, min_size=1, max_size=8),
    st.sampled_from([[], ["a8Xk3Q=="]]),
)


def paragraphs(lines: Sequence[str]) -> list[Unit]:
    return [Unit(f"word/document.xml/p{number}", line, "paragraph") for number, line in enumerate(lines, 1)]


def pages(lines: Sequence[str]) -> list[Unit]:
    return [Unit(f"page/{number}", line, "page") for number, line in enumerate(lines, 1)]


def between_numbers(address: Callable[[int, str], str]) -> Callable[[Sequence[str]], list[Unit]]:
    """Cells of a column B, between columns of numbers and of names."""
    return lambda lines: [
        Unit(address(number, column), text, "cell")
        for number, line in enumerate(lines, 1)
        for column, text in (("A", str(number)), ("B", line), ("C", "the operator on watch"))
    ]


def table_in_text(lines: Sequence[str]) -> list[Unit]:
    return [
        Unit(f"word/document.xml/p{2 * row + column}", text, "paragraph", "", (Cell(1, row, column, 1, 1, False),))
        for row, line in enumerate(lines)
        for column, text in enumerate((f"line {row}", line))
    ]


WAYS = {
    "paragraphs": paragraphs,
    "pages": pages,
    "sheet": between_numbers(lambda number, column: f"sheet/Pay/{column}{number}"),
    "table": between_numbers(lambda number, column: f"row/{number}/{column}"),
    "table in a text": table_in_text,
}


def marked(units: Sequence[Unit]) -> list[str]:
    """What the marks take of the units, each part for itself."""
    text_of = {unit.address: unit.text for unit in units}
    return [text_of[mark.address][mark.start : mark.end] for mark in apply_policy.marks(API_KEYS, units)]


@pytest.mark.parametrize("way", WAYS)
@given(key=KEYS, before=st.integers(0, 3))
def test_a_private_key_is_found_whole_and_nothing_else(way: str, key: list[str], before: int) -> None:
    units = WAYS[way]([*["The key that you asked for:"] * before, *key, "Keep it safe.", "Yours"])
    assert marked(units) == [line for line in key if line]


@given(key=KEYS, before=st.integers(0, 200), batch=st.integers(1, 400))
def test_a_batch_does_not_end_in_a_key(key: list[str], before: int, batch: int) -> None:
    units = paragraphs(["x" * before, *key, "Yours", *key])
    with patch.object(apply_policy, "BATCH_CHARACTERS", batch):
        assert marked(units) == [line for line in (*key, *key) if line]


@given(key=KEYS)
def test_without_a_last_line_it_ends_where_base64_ends(key: list[str]) -> None:
    assert marked(paragraphs([*key[:-1], "", "Keep it safe."])) == [line for line in key[:-1] if line]


@given(key=KEYS)
def test_it_ends_with_its_story_its_column_and_its_file(key: list[str]) -> None:
    elsewhere = [Unit("word/comments.xml/p1", key[-2], "paragraph"), Unit("sheet/Pay/C1", key[-2], "cell")]
    assert marked([*paragraphs(key[:1]), *elsewhere]) == key[:1]


def test_a_batch_is_bounded_though_no_key_ends() -> None:
    begin = "-----BEGIN PRIVATE KEY-----"
    with patch.object(neighbours, "LONGEST", 1_000):
        batches = list(neighbours.batches(paragraphs([begin] * 1_000), 100))
    assert max(len(batch) for batch in batches) * len(begin) < 1_100
    assert sum(map(len, batches)) == 1_000


PEM = [
    "-----BEGIN RSA PRIVATE KEY-----",
    "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu",
    "KUpRKfFLfRYC9AIKjbJTWit+CqvjWYzvQwECAwEAAQJAIJLixBy2qpFoS4DSmoEm",
    "o3qGy0t6z09AIJtH+5OeRV1be+N4cDYJKffGzDa88vQENZiRm0GRq6a+HPGQMdkT",
    "-----END RSA PRIVATE KEY-----",
]
LINES = [*PEM, "Yours"]


def workbook(lines: Sequence[str]) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for number, line in enumerate(lines):
        sheet.append([number, line, "read"])
    written = BytesIO()
    book.save(written)
    return written.getvalue()


FILES: dict[str, Callable[[], bytes | str]] = {
    "key.docx": lambda: docx_of("".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in LINES)),
    "key.pptx": lambda: pptx_of(shape("".join(map(paragraph, LINES)))),
    "key.odt": lambda: odt_of("".join(f"<text:p>{line}</text:p>" for line in LINES)),
    "key.xlsx": lambda: workbook(LINES),
    "key.html": lambda: "".join(f"<p>{line}</p>" for line in ["The key:", *PEM, "Yours"]),
    "key.eml": lambda: (
        "From: a@example.com\r\nSubject: The key\r\nContent-Type: text/html\r\n\r\n"
        + "\r\n".join(f"<div>{line}</div>" for line in LINES)
    ),
    "key.rtf": lambda: r"{\rtf1\ansi " + r"\par ".join(LINES) + "}",
    "key.csv": lambda: "number,text\n" + "".join(f"{number},{line}\n" for number, line in enumerate(LINES)),
    "key.jsonl": lambda: "".join(f'{{"n": {number}, "t": "{line}"}}\n' for number, line in enumerate(LINES)),
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_lines(name: str) -> None:
    made = FILES[name]()
    units = [*read(name, made.encode() if isinstance(made, str) else made).units()]
    assert marked(units) == PEM

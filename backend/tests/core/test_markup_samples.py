"""The sample files, which every implementation of the markup is held against."""

import json
from pathlib import Path
from typing import Any

import pytest

from documents import parse_pieces, pieces
from sieve.core.document import Document
from sieve.core.errors import MarkupError
from sieve.core.markup import parse, print_document

SAMPLES = Path(__file__).parent.parent / "samples"
INDEX: dict[str, list[dict[str, Any]]] = json.loads((SAMPLES / "index.json").read_bytes())


def by_file(sample: dict[str, Any]) -> str:
    return str(sample["file"])


@pytest.mark.parametrize("sample", INDEX["documents"], ids=by_file)
def test_documents(sample: dict[str, Any]) -> None:
    marked = (SAMPLES / sample["file"]).read_bytes()
    document = Document(sample["content"].encode(), [(start, end) for start, end in sample["spans"]])
    assert parse(marked) == document
    assert print_document(document) == marked


@pytest.mark.parametrize("sample", INDEX["malformed"], ids=by_file)
def test_malformed(sample: dict[str, Any]) -> None:
    marked = (SAMPLES / sample["file"]).read_bytes()
    for fed in ([marked], pieces(marked, range(1, len(marked)))):
        with pytest.raises(MarkupError) as caught:
            parse_pieces(fed)
        error = caught.value
        assert (error.line, error.column, error.reason) == (sample["line"], sample["column"], sample["reason"])


def test_the_index_names_every_file() -> None:
    named = {sample["file"] for samples in INDEX.values() for sample in samples}
    assert named == {path.name for path in SAMPLES.glob("*.txt")}

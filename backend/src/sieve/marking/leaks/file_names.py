"""Names of files, of which the ending reveals nothing."""

from typing import Final

_ENDINGS: Final = frozenset(
    {
        *("csv", "tsv", "json", "jsonl", "ndjson", "txt", "md"),
        *("docm", "docx", "odt", "ott"),
        *("xlsm", "xlsx", "ods", "ots"),
        *("potx", "ppsx", "pptm", "pptx"),
        *("pdf", "eml", "htm", "html", "rtf", "zip"),
        *("jpeg", "jpg", "png", "tif", "tiff"),
    }
)


def stem_length(name: str) -> int:
    """Characters of a document's name without a known file ending, which reveals nothing."""
    stem, dot, ending = name.rpartition(".")
    return len(stem) if dot and ending.lower() in _ENDINGS else len(name)

"""What becomes of a page that a benchmark made."""

from pathlib import Path


def print_or_write(text: str, page: Path, *, only_print: bool) -> None:
    """Writes `text` to the file `page`, and says so; or prints it and leaves the file as it is."""
    if only_print:
        print(text)
    else:
        page.write_text(text)
        print(f"{page} written")

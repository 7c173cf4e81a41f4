"""Parameters of routes that show parts of a file, to its author or to the reader of a redacted edition."""

from typing import Annotated, Any, Final

from fastapi import Path, Query

Cursor = Annotated[str | None, Query(pattern=r"^[0-9]{1,18}$", description="`next` of the page before.")]
MostUnits = Annotated[int, Query(ge=1, le=1000)]
FirstRow = Annotated[int, Query(alias="from", ge=1, le=2**53)]
MostRows = Annotated[int, Query(ge=1, le=1000)]
SheetName = Annotated[str | None, Query(max_length=200)]
PageNumber = Annotated[int, Path(ge=1, le=1_000_000)]
Width = Annotated[int, Query(ge=16, le=4096, description="In pixels.")]

PICTURE: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}
}
"""The OpenAPI description of an answer that is a picture."""

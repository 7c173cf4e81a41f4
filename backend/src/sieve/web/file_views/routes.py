"""Routes that show parts of a file: to the author of a draft, and to the recipient of a redacted edition.

A reading process makes each answer, and the gateway passes it on unchanged: JSON as `file_views.schemas` describes it.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final, TypeAlias

from fastapi import APIRouter, Depends, Path, Query, Response

from sieve.gateway.reading.file import File
from sieve.web.file_views.schemas import OutlineShown, RowsShown, UnitsShown, WordsShown
from sieve.web.services import Given

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
"""The OpenAPI description of a response that is a picture."""

Look = Callable[[Callable[[File], Awaitable[bytes]]], Awaitable[Response]]
"""Responds with what the given function reads from the file that the request names; the type is JSON."""


def add_views(router: APIRouter, look: Callable[..., Awaitable[Look]], *, prefix: str = "") -> None:
    """Adds the routes to `router`. `look`: the dependency that finds the file and checks who may see it. `prefix`: of
    the routes' names, for a second file of the same kind of thing.
    """
    Looking: TypeAlias = Annotated[Look, Depends(look)]

    @router.get("/units", name=f"{prefix}units", response_model=UnitsShown)
    async def units(view: Looking, services: Given, after: Cursor = None, limit: MostUnits = 200) -> Response:
        """The file's pieces of text in reading order, including hidden ones. Fewer than `limit` if they are long."""
        return await view(lambda file: services.reading.units(file, after=after, limit=limit))

    @router.get("/outline", name=f"{prefix}outline", response_model=OutlineShown)
    async def outline(view: Looking, services: Given) -> Response:
        """What the file consists of: pages and their sizes in points, columns and rows, sheets."""
        return await view(services.reading.outline)

    @router.get("/rows", name=f"{prefix}rows", response_model=RowsShown)
    async def rows(
        view: Looking, services: Given, first: FirstRow = 1, count: MostRows = 200, sheet: SheetName = None
    ) -> Response:
        """Rows of a table, or of a sheet of a workbook, by default the first sheet. Fewer than `count` if they are
        long, and none after the last row.
        """
        return await view(lambda file: services.reading.rows(file, first=first, count=count, sheet=sheet))

    @router.get("/pages/{number}.png", name=f"{prefix}picture", response_class=Response, responses=PICTURE)
    async def picture(number: PageNumber, view: Looking, services: Given, width: Width = 800) -> Response:
        """A page of a PDF, as a reader shows it."""
        response = await view(lambda file: services.reading.picture(file, page=number, width=width))
        response.headers["Content-Type"] = "image/png"
        return response

    @router.get("/pages/{number}/words", name=f"{prefix}words", response_model=WordsShown)
    async def words(number: PageNumber, view: Looking, services: Given) -> Response:
        """The text of a page of a PDF, and the positions of its words."""
        return await view(lambda file: services.reading.words(file, page=number))

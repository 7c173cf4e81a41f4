"""Request bodies that a route reads whole, up to a limit, and their OpenAPI descriptions."""

from collections.abc import AsyncIterator
from typing import Any, Final

from fastapi import Request

from sieve.gateway.documents.ingest import DocumentTooLarge


def body_of(media_type: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The OpenAPI description of a body that the route reads itself."""
    return {"requestBody": {"required": True, "content": {media_type: {"schema": schema}}}}


TEXT_BODY: Final = body_of("text/plain", {"type": "string"})


async def read_body(request: Request, limit: int, what: str) -> bytes:
    """The request's body. `what`: what it is, for people.

    Raises:
        DocumentTooLarge: it is longer than `limit` bytes.
    """
    return bytes(await read_pieces(request.stream(), limit, what))


async def read_pieces(pieces: AsyncIterator[bytes], limit: int, what: str) -> bytearray:
    """The rest of a body. Raises as `read_body` does."""
    body = bytearray()
    async for piece in pieces:
        body += piece
        if len(body) > limit:
            raise DocumentTooLarge(f"{what} is larger than {limit:,} bytes")
    return body

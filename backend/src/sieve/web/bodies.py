"""A body that is needed whole, and bounded all the same."""

from collections.abc import AsyncIterator

from fastapi import Request

from sieve.gateway.documents.ingest import DocumentTooLarge


async def whole(request: Request, limit: int, what: str) -> bytes:
    """The request's body. `what`: what it is, for people.

    Raises:
        DocumentTooLarge: it is longer than `limit` bytes.
    """
    return bytes(await gathered(request.stream(), limit, what))


async def gathered(pieces: AsyncIterator[bytes], limit: int, what: str) -> bytearray:
    """The same of what is left of a body. Raises as `whole` does."""
    body = bytearray()
    async for piece in pieces:
        body += piece
        if len(body) > limit:
            raise DocumentTooLarge(f"{what} is larger than {limit:,} bytes")
    return body

"""A body that is needed whole, and bounded all the same."""

from fastapi import Request

from sieve.gateway.ingest import DocumentTooLarge


async def whole(request: Request, limit: int, what: str) -> bytes:
    """The request's body. `what`: what it is, for people.

    Raises:
        DocumentTooLarge: it is longer than `limit` bytes.
    """
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > limit:
            raise DocumentTooLarge(f"{what} is larger than {limit:,} bytes")
    return bytes(body)

"""The user interface's files, as `frontend` built them.

Invariant: paths of the API never belong to the interface. Any other path that names no file is one of its pages, and
gets `index.html`. A missing asset is an error, so that a page of an older build fails instead of loading a page as a
script.
"""

from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from sieve.gateway.errors import StartError
from sieve.web.problem import Problem

INDEX: Final = "index.html"
ASSETS: Final = "assets"
"""Files below it have a digest in their names, so they never change."""

NOT_OURS: Final = frozenset({"api", "healthz", "readyz", "metrics"})

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    # The first policy is prosemirror-view's. The second parses pasted HTML into an inert document, never into the page.
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types ProseMirrorClipboard pasted-html",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class _Files(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        first = path.split("/")[0]
        if first in NOT_OURS:
            raise HTTPException(404)
        try:
            answer = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404 or first == ASSETS:
                raise
            answer = await super().get_response(INDEX, scope)
        answer.headers.update(HEADERS)
        answer.headers["Cache-Control"] = "public, max-age=31536000, immutable" if first == ASSETS else "no-cache"
        return answer


def interface(folder: Path | None) -> ASGIApp:
    """Responds if no route matches: the interface built in `folder`; without one, the root explains that.

    Raises:
        StartError: there is no built interface in `folder`.
    """
    if folder is None:
        return _no_interface
    if not (folder / INDEX).is_file():
        raise StartError(f"there is no user interface in {folder}: build it, or correct or unset SIEVE_UI_DIR")
    # Compressed lengths reveal content; these files are the same for everybody.
    return GZipMiddleware(_Files(directory=folder), compresslevel=6)


async def _no_interface(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["path"] != "/":
        raise HTTPException(404)
    sentence = "this gateway has no user interface: build it or set SIEVE_UI_DIR; the API is at /api/docs"
    await Problem(404, sentence)(scope, receive, send)

"""The user interface's files, as they stood when the gateway started: read once, then served from memory.

The law: a path is looked up among those files and never on the disk, so that nothing else can be reached. The API's
paths are not the interface's; any other path that names no file is a page of it, and gets `index.html`.
"""

import base64
import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from sieve.gateway.errors import StartError
from sieve.web.problem import Problem

INDEX: Final = "/index.html"
ASSETS: Final = "/assets/"
"""What is below it has a digest in its name, and so never changes."""

NOT_OURS: Final = frozenset({"api", "healthz", "readyz", "metrics"})

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    # The editor's clipboard makes its one policy under this name (prosemirror-view).
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types ProseMirrorClipboard",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_ASK_AGAIN: Final = "no-cache"

_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}
"""Not the machine's table: that one may take a script for something else."""
_COMPRESSIBLE: Final = ("text/", "application/", "image/svg+xml")


@dataclass(frozen=True)
class File:
    """One file. Its path says how long browsers may keep it."""

    path: str
    content: bytes

    @cached_property
    def media_type(self) -> str:
        """By the ending of its name."""
        return _TYPES.get(PurePosixPath(self.path).suffix.lower(), "application/octet-stream")

    @cached_property
    def etag(self) -> str:
        """Changes with the content."""
        return f'"{base64.urlsafe_b64encode(hashlib.sha256(self.content).digest()[:18]).decode()}"'

    @cached_property
    def gzipped(self) -> bytes | None:
        """The content compressed, for assets that become smaller by it.

        Only for them: a compressed answer's length tells of what is in it, and everything else may be secret.
        """
        if not (self.path.startswith(ASSETS) and self.media_type.startswith(_COMPRESSIBLE)):
            return None
        packed = gzip.compress(self.content, mtime=0)
        return packed if len(packed) < len(self.content) else None

    def answer(self, asked: Headers, *, body: bool) -> Response:
        """The file, or 304 to who has it already. Without `body`: what the answer would say of it."""
        content, headers = self.content, dict(HEADERS)
        if self.path.startswith(ASSETS):
            headers["Cache-Control"] = _FOR_EVER
            if self.gzipped is not None:
                headers["Vary"] = "Accept-Encoding"
                if _takes_gzip(asked):
                    content = self.gzipped
                    headers["Content-Encoding"] = "gzip"
        else:
            headers |= {"Cache-Control": _ASK_AGAIN, "ETag": self.etag}
            if _has(asked, self.etag):
                return Response(status_code=304, headers=headers)
        headers["Content-Length"] = str(len(content))
        return Response(content if body else b"", media_type=self.media_type, headers=headers)


class Ui:
    """The files of one built interface; of none, if there is no folder."""

    def __init__(self, files: Mapping[str, File] | None = None) -> None:
        self._files = files or {}

    @classmethod
    def load(cls, folder: Path | None) -> "Ui":
        """Reads every file in `folder`; links and hidden files are left out.

        Raises:
            StartError: there is no built interface in it.
        """
        if folder is None:
            return cls()
        files: dict[str, File] = {}
        try:
            for path in folder.rglob("*"):
                name = path.relative_to(folder)
                if path.is_file() and not path.is_symlink() and not any(part.startswith(".") for part in name.parts):
                    served = "/" + PurePosixPath(name).as_posix()
                    files[served] = File(served, path.read_bytes())
        except OSError as error:
            raise StartError(f"the user interface in {folder} cannot be read: {error.strerror}") from error
        if INDEX not in files:
            raise StartError(f"there is no user interface in {folder}: build it, or mend or unset SIEVE_UI_DIR")
        return cls(files)

    def find(self, path: str) -> File | None:
        """What a path, percent-decoded, gives; None if it is not the interface's."""
        if path.lstrip("/").partition("/")[0] in NOT_OURS:
            return None
        # An asset of another build must fail, not look like a script that is a page.
        return self._files.get(path) or (None if path.startswith(ASSETS) else self._files.get(INDEX))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers what no route does.

        Raises:
            HTTPException: 404, if that is nothing of the interface either.
        """
        method, path = scope["method"], scope["path"]
        if method not in ("GET", "HEAD"):
            raise HTTPException(404)
        file = self.find(path)
        if file is not None:
            await file.answer(Headers(scope=scope), body=method == "GET")(scope, receive, send)
        elif path == "/":
            sentence = "this gateway has no user interface: build it or set SIEVE_UI_DIR; the API is at /api/docs"
            await Problem(404, sentence)(scope, receive, send)
        else:
            raise HTTPException(404)


def _has(asked: Headers, etag: str) -> bool:
    known = [tag.strip().removeprefix("W/") for tag in asked.get("if-none-match", "").split(",")]
    return etag in known or known == ["*"]


def _takes_gzip(asked: Headers) -> bool:
    for coding in asked.get("accept-encoding", "").split(","):
        name, _, quality = coding.partition(";")
        if name.strip().lower() == "gzip":
            return quality.replace(" ", "").lower() not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False

"""A client of a gateway's web API. Each error is one sentence."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

from sieve.cli.errors import BadInput, CommandError, Failed

if TYPE_CHECKING:
    import ssl

    import httpx

# httpx is imported in the functions: the commands that ask no gateway start faster without it.

_MALFORMED = {HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY}


class Refused(Failed):
    """The gateway refused a request. `problem`: its answer, for programs."""

    def __init__(self, detail: str, status: int, problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(detail)
        self.status, self.problem = status, problem or {}


class Unreachable(Failed):
    """The gateway does not answer."""


class Api:
    """A client, to use as a context manager."""

    def __init__(
        self,
        url: str,
        token_file: Path | None,
        transport: "httpx.BaseTransport | None" = None,
        *,
        login: tuple[str, str] | None = None,
    ) -> None:
        """`login`: signs in with this login and password instead of a token; `next_step` says what is still missing.

        Raises:
            BadInput: there is no token, or the address is not valid.
            Refused, Unreachable: the sign-in failed.
        """
        import httpx

        self.url = url.rstrip("/")
        try:
            self._http = httpx.Client(
                base_url=f"{self.url}/api/v1",
                # Like a page of the gateway: it accepts cookies from nowhere else.
                headers={"Sec-Fetch-Site": "same-origin"}
                if login
                else {"Authorization": f"Bearer {_token(token_file)}"},
                # A large upload is written for long, and the answer waits until the gateway has stored it.
                timeout=httpx.Timeout(connect=10, read=120, write=120, pool=10),
                trust_env=False,
                verify=_tls(self.url),
                transport=transport,
            )
        except (httpx.InvalidURL, UnicodeError, ValueError):
            raise self._bad_address() from None
        self.next_step: Mapping[str, Any] | None = None
        if login is not None:
            name, password = login
            self.next_step = self.call("POST", "/session", json={"name": name, "password": password})["next_step"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def call(self, method: str, path: str, **arguments: Any) -> Any:
        """Makes one request; returns the answer's JSON, or None if it is empty.

        Raises:
            BadInput, Refused, Unreachable: with the gateway's reason.
        """
        answer = self._request(method, path, **arguments)
        try:
            return answer.json() if answer.content else None
        except ValueError as error:
            raise Failed(f"the server at {self.url} is not a gateway; check SIEVE_URL or --url") from error

    def text(self, path: str, **arguments: Any) -> bytes:
        """Returns the body of an answer."""
        return self._request("GET", path, **arguments).content

    def pages(self, path: str, **wanted: Any) -> Iterator[dict[str, Any]]:
        """All items of a paged list. `wanted`: parameters of the list."""
        after: dict[str, str] = {}
        while True:
            page = self.call("GET", path, params={"limit": 200, **wanted, **after})
            yield from page["items"]
            if not page["next"]:
                return
            after = {"after": page["next"]}

    @contextmanager
    def stream(self, path: str, **arguments: Any) -> Iterator["httpx.Response"]:
        """An answer whose body is read as it arrives."""
        with self._translated(), self._http.stream("GET", path, **arguments) as answer:
            if answer.is_error:
                answer.read()
                raise _refusal(answer)
            yield answer

    def _request(self, method: str, path: str, **arguments: Any) -> "httpx.Response":
        with self._translated():
            answer = self._http.request(method, path, **arguments)
        if answer.is_error:
            raise _refusal(answer)
        return answer

    def _bad_address(self) -> BadInput:
        return BadInput(f"{self.url} is not a gateway's address; write it like http://127.0.0.1:8080")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        import httpx

        try:
            yield
        except (httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
            raise self._bad_address() from error
        except httpx.ConnectError as error:
            raise Unreachable(
                f"no gateway answers at {self.url} ({error}); start it, or set SIEVE_URL or --url"
            ) from error
        except httpx.TransportError as error:
            raise Unreachable(f"the gateway at {self.url} stopped answering ({type(error).__name__})") from error


def path_to(*parts: str) -> str:
    """The path of an API resource, with each part quoted."""
    return "/" + "/".join(quote(part, safe="") for part in parts)


def _refusal(answer: "httpx.Response") -> CommandError:
    problem: dict[str, Any] = {}
    try:
        problem = answer.json()
        detail = str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        detail = f"status {answer.status_code} without a reason; check that SIEVE_URL or --url is a gateway's address"
    return BadInput(detail) if answer.status_code in _MALFORMED else Refused(detail, answer.status_code, problem)


def _token(file: Path | None) -> str:
    if file is None:
        token = os.environ.get("SIEVE_TOKEN", "").strip()
        if not token:
            raise BadInput(
                "there is no API token; set SIEVE_TOKEN, or name a file that holds the token with --token-file"
            )
    else:
        try:
            token = file.read_text("ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"cannot read the token from {file}: {_reason(error)}") from error
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise BadInput("the API token is not valid; it is one word that begins with sieve_")
    return token


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return (error.strerror or "it cannot be opened") if isinstance(error, OSError) else "it is not ASCII text"


def _tls(url: str) -> "ssl.SSLContext":
    """For a gateway behind a proxy that ends TLS. httpx's default context would write session keys to SSLKEYLOGFILE."""
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Reading the machine's authorities takes longer than most requests, and HTTP needs none.
    if not url.lower().startswith("http:"):
        context.load_default_certs()
    return context


def show_json(value: Any) -> None:
    """Prints one line of JSON on stdout."""
    print(json.dumps(value, ensure_ascii=False))


def show_change(change: Any, text: str = "", *, as_json: bool) -> None:
    """Prints what a command changed: in JSON, else as `text`, which may be nothing."""
    if as_json:
        show_json(change)
    elif text:
        print(text)

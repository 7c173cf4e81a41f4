"""Every error response of the web application: a problem as in RFC 9457."""

import json
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"


class Problem(Response):
    """`detail`: one sentence for people; other members are for programs. `said`: the sentence with its
    code, if it has one.
    """

    media_type = MEDIA_TYPE

    def __init__(self, status: int, detail: str, *, headers: dict[str, str] | None = None, **members: Any) -> None:
        body = {
            "type": "about:blank",
            "title": HTTPStatus(status).phrase,
            "status": status,
            "detail": detail,
            **{name: value for name, value in members.items() if value is not None},
        }
        super().__init__(json.dumps(body, ensure_ascii=False).encode(), status_code=status, headers=headers)

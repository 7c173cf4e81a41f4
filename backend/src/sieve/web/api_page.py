"""The API's page: every route on one page, made from the OpenAPI document, without scripts or external files.

So it works without the internet, and under a content security policy that allows only its own style.
"""

import base64
import hashlib
from collections.abc import Iterator
from html import escape
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

router = APIRouter(include_in_schema=False)

_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1d2730; max-width: 56rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin: 2.5rem 0 0; text-transform: capitalize }
section { border-top: 1px solid #d8dee3; padding: .75rem 0 }
code { font: 14px ui-monospace, monospace }
b { color: #9a4a16; display: inline-block; min-width: 4.5rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1.5rem; margin: .4rem 0 0; font-size: 14px }
dd { margin: 0; color: #4c5a66 }
p { margin: .2rem 0 }
"""
_POLICY: Final = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-"
    + base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    + "'"
)


@router.get("/api/docs")
async def page(request: Request) -> HTMLResponse:
    """Every route with its parameters, request and response."""
    return HTMLResponse(sheet(request.app.openapi()), headers={"Content-Security-Policy": _POLICY})


def sheet(api: dict[str, Any]) -> str:
    """The page of an OpenAPI document."""
    about = api["info"]
    title = escape(f"{about['title']} {about['version']}")
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        f"<h1>{title}</h1><p>{escape(about['description'])}</p>"
        '<p>For programs: <a href="/api/v1/openapi.json">openapi.json</a></p>' + "".join(_sections(api)) + "</html>"
    )


def _sections(api: dict[str, Any]) -> Iterator[str]:
    heading = None
    for path, operations in api["paths"].items():
        for method, operation in operations.items():
            tag = operation.get("tags", ["more"])[0]
            if tag != heading:
                heading = tag
                yield f"<h2>{escape(tag)}</h2>"
            yield (
                f"<section><b>{method.upper()}</b><code>{escape(path)}</code>"
                f"<p>{escape(operation.get('description', ''))}</p><dl>{''.join(_terms(operation, api))}</dl></section>"
            )


def _terms(operation: dict[str, Any], api: dict[str, Any]) -> Iterator[str]:
    for parameter in operation.get("parameters", ()):
        name = f"{parameter['name']} ({parameter['in']}{', required' if parameter.get('required') else ''})"
        yield _term(name, parameter.get("description") or _type(parameter["schema"]))
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        yield _term("body", _fields(content["schema"], api) or kind)
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            schemas = [content.get("schema", {}) for content in answer.get("content", {}).values()]
            yield _term(status, "; ".join(filter(None, (_fields(schema, api) for schema in schemas))) or "no JSON")


def _term(name: str, value: str) -> str:
    return f"<dt><code>{escape(name)}</code></dt><dd>{escape(value)}</dd>"


def _fields(schema: dict[str, Any], api: dict[str, Any]) -> str:
    """The names of an object's fields, or of those of its items."""
    if "items" in schema:
        return f"a list of: {_fields(schema['items'], api)}"
    found = api["components"]["schemas"].get(schema.get("$ref", "").rsplit("/", 1)[-1], {})
    return ", ".join(found.get("properties", {}))


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    return " | ".join(map(str, schema["enum"])) if "enum" in schema else str(schema.get("type", ""))

"""Writes the gateway's sentences for the web interface: `python -m sieve.web.write_sentences OUT.ts`.

It finds each `Sentence(code, text, …)` in the source. `make api` writes the file, and `make check` compares it. So a
sentence of the gateway without a translation fails `make check`, as one of the interface does.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import NamedTuple

import sieve
from sieve.web.typographic import typographic

_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_HEAD = """\
/** Written by `make api` from the gateway's source (sieve/web/write_sentences.py). Do not edit. */
import { plural, t } from "@lingui/core/macro";

/** What the text of a sentence names. Texts of numbers and sentences are in the language of the page. */
type Texts<Name extends string> = Readonly<Record<Name, string>>;

/** The gateway's sentences by their codes. `count`: the number that decides between singular and plural. */
export const SENTENCES = {
"""


class Form(NamedTuple):
    """The text of a sentence; `one`: for a count of 1, empty if it is the same."""

    text: str
    one: str


class BadSentence(Exception):
    """A call of `Sentence` that cannot be collected for the interface."""


def forms_in(source: str) -> Iterator[tuple[str, Form]]:
    """The codes and texts of the calls of `Sentence` in a module.

    Raises:
        BadSentence: code or text is not a literal, or parameters and text differ.
    """
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Sentence"):
            continue
        values = [one.value if isinstance(one, ast.Constant) else None for one in node.args]
        if len(values) != 2 or not all(isinstance(value, str) for value in values):
            raise BadSentence(f"line {node.lineno}: code and text must be literals")
        code, text = (str(value) for value in values)
        given = {one.arg: one.value for one in node.keywords}
        single = given.pop("one", None)
        one = single.value if isinstance(single, ast.Constant) and isinstance(single.value, str) else ""
        if not _CODE.fullmatch(code) or given.keys() != _names(text) | _names(one) | ({"count"} if one else set()):
            raise BadSentence(f"line {node.lineno}: the parameters of {code} are not those of its text")
        yield code, Form(text, one)


def forms() -> dict[str, Form]:
    """All sentences of the gateway, by code.

    Raises:
        BadSentence: as `forms_in`, or two texts have one code.
    """
    found: dict[str, Form] = {}
    folder = Path(sieve.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        source = path.read_text("utf-8")
        if "Sentence(" not in source:
            continue
        try:
            for code, form in forms_in(source):
                if found.setdefault(code, form) != form:
                    raise BadSentence(f"{code} has two texts")
        except BadSentence as error:
            raise BadSentence(f"{path.relative_to(folder)}: {error}") from None
    return found


def typescript() -> str:
    """The module's source."""
    rows = (f"  {json.dumps(code)}: {_function(form)},\n" for code, form in sorted(forms().items()))
    return f"{_HEAD}{''.join(rows)}}};\n"


def _function(form: Form) -> str:
    names = sorted((_names(form.text) | _names(form.one)) - ({"count"} if form.one else set()))
    types = " | ".join(f'"{name}"' for name in names)
    arguments = f"{{ {', '.join(names)} }}: Texts<{types}>" if names else ""
    if not form.one:
        return f"({arguments}) => t`{_template(form.text)}`"
    choices = ", ".join(
        f"{name}: `{_template(text, count='#')}`" for name, text in (("one", form.one), ("other", form.text))
    )
    return f"({arguments or '_: unknown'}, count: number) => plural(count, {{ {choices} }})"


def _names(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def _template(text: str, *, count: str = "${count}") -> str:
    """The inside of a template literal. `count`: what becomes of {count}; `#` in a plural."""
    return "".join(
        re.sub(r"[`\\$]", r"\\\g<0>", literal) + (count if name == "count" else f"${{{name}}}" if name else "")
        for literal, name, _, _ in Formatter().parse(typographic(text))
    )


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit status."""
    if len(arguments) != 1:
        print("usage: python -m sieve.web.write_sentences OUT.ts", file=sys.stderr)
        return 2
    Path(arguments[0]).write_text(typescript(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

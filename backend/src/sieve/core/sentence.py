"""Sentences for people that the web interface can say in other languages.

The gateway writes them in English. Each has a code and parameters, from which the interface makes the same sentence in
the language of its user. `make api` finds all calls of `Sentence` and writes their texts for the interface.
"""

from typing import Any, Self

Parameter = str | int | float
"""A number, a text such as a name, or another `Sentence`."""


class Sentence(str):
    """`code`: its name, the same for every sentence of this text. `parameters`: what its text names in braces.

    `Sentence("too-many", "there are more than {limit} findings", limit=1000)` is "there are more than 1,000 findings".
    `one`: the text instead if the parameter `count` is 1. Code and texts must be literals.
    """

    code: str
    parameters: dict[str, Parameter]

    def __new__(cls, code: str, text: str, /, *, one: str = "", **parameters: Parameter) -> Self:
        chosen = one if one and parameters["count"] == 1 else text
        shown = {name: value if isinstance(value, str) else _grouped(value) for name, value in parameters.items()}
        return cls._made(chosen.format_map(shown), code, parameters)

    @classmethod
    def _made(cls, text: str, code: str, parameters: dict[str, Parameter]) -> Self:
        made = super().__new__(cls, text)
        made.code, made.parameters = code, parameters
        return made

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def to_json(self) -> dict[str, Any]:
        """Its text, code and parameters, for JSON."""
        said = {
            name: value.to_json() if isinstance(value, Sentence) else value for name, value in self.parameters.items()
        }
        return {"text": str(self), "code": self.code, "parameters": said}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """The reverse of `to_json`."""
        parameters = {
            name: cls.from_json(one) if isinstance(one, dict) else one for name, one in value["parameters"].items()
        }
        return cls._made(value["text"], value["code"], parameters)


def _grouped(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:,.15g}"


def sentence_of(error: Exception) -> str:
    """What an error says; a `Sentence` if it was raised with one."""
    [*first] = error.args[:1]
    return first[0] if first and isinstance(first[0], Sentence) else str(error)


def said_of(text: str | None) -> dict[str, Any] | None:
    """The code and parameters of a text, for JSON; None if it has none."""
    return text.to_json() if isinstance(text, Sentence) else None

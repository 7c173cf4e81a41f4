"""A policy: named rules that say what to mark, and how much around it.

Invariant: a policy is understood completely or refused, with the number of the rule and what to do. A field that is
misspelt, or that its rule would ignore, is refused: what the author of a policy believes to be marked must be marked.
`parse` reports the first problem; `understand` reports all of them, for people who edit a policy.

A policy is a table of names and values, written in TOML or JSON.

A policy may itself be secret, so no `repr` shows any of it.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, NoReturn

import re2

from sieve.marking.cell_selectors import Columns, Where
from sieve.marking.detectors.registry import Detector
from sieve.marking.errors import PolicyError
from sieve.marking.field_names import complaint_about
from sieve.marking.granularity import Granularity
from sieve.marking.keywords import Keywords
from sieve.marking.patterns import Pattern

MAX_CHARACTERS: Final = 64 * 1024 * 1024
MAX_RULES: Final = 1_000
MAX_NAME_CHARACTERS: Final = 100
MAX_TITLE_CHARACTERS: Final = 200
MAX_LABEL_CHARACTERS: Final = 200
MAX_REASON_CHARACTERS: Final = 1_000

# A key of names between dots. No policy needs more than two of them, and no keyword or pattern has so many in a row.
_MANY_NAMES: Final = re2.compile(r"""(?:(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*\.[ \t]*){64}""")

# An error message about TOML up to its first quotation. A sign that it expects is not text of the policy.
_UNQUOTED: Final = re.compile(r"""(?:[^'"(]|'[\[\]{}=,.]{1,2}')*""")

Selector = Keywords | Pattern | Detector | Columns | Where
ReadKeywords = Callable[[str], str]
"""Returns the text of a keywords file, given its name in the policy. Its errors are passed on."""


def no_keywords_files(name: str) -> NoReturn:
    """Refuses keywords files, in a gateway."""
    raise PolicyError("keywords_file is for the command line; a gateway has no such files, so list them as keywords")


@dataclass(frozen=True, slots=True, repr=False)
class Rule:
    """One rule. `id` is in every mark that it makes: "names/2#1" is rule 1 of version 2 of the policy "names"."""

    id: str
    kind: str
    selector: Selector
    granularity: Granularity
    label: str
    reason: str

    def __repr__(self) -> str:
        return f"<Rule {self.id}>"


@dataclass(frozen=True, slots=True, repr=False)
class Policy:
    """A policy that can be applied. `title`: for people. `guard`: before each sending, the gateway reports what this
    policy would mark and is not marked.
    """

    name: str
    version: int
    rules: tuple[Rule, ...]
    title: str = ""
    guard: bool = False

    def __repr__(self) -> str:
        return f"<Policy {self.name}/{self.version}: {len(self.rules)} rules>"


class Understood(NamedTuple):
    """Either a policy, or everything that is wrong with it."""

    policy: Policy | None
    problems: tuple[PolicyError, ...]


def parse(text: str, read_keywords: ReadKeywords) -> Policy:
    """The policy that `text`, in TOML, describes.

    Raises:
        PolicyError: it cannot be used; the error says which rule, and what to do.
    """
    policy, problems = understand(read_toml(text), read_keywords)
    if policy is None:
        raise problems[0]
    return policy


def read_toml(text: str) -> dict[str, Any]:
    """The table that `text` writes.

    Raises:
        PolicyError: it is not TOML.
    """
    if len(text) > MAX_CHARACTERS:
        raise PolicyError("it is too long; put long lists into keywords files")
    if _MANY_NAMES.search(text):
        # The TOML parser needs quadratic time for them.
        raise PolicyError("it is not well-formed TOML: too many names between dots")
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        # Without quotations, and without the cause, which contains the text.
        said, _, place = str(error).rpartition(" (at ")
        fault = "".join(_UNQUOTED.findall(said)[:1]).rstrip()
        raise PolicyError(f"it is not well-formed TOML: {fault} (at {place}") from None
    except RecursionError:
        raise PolicyError("it is not well-formed TOML: too many brackets in brackets") from None
    except ValueError:
        raise PolicyError("it is not well-formed TOML: a number has too many digits") from None


def read_json(text: str) -> dict[str, Any]:
    """The table that `text` writes.

    Raises:
        PolicyError: it is not JSON, or not a table.
    """
    try:
        table = json.loads(text)
        # JSON can contain half of a surrogate pair, which is not text, and which no rule could find.
        json.dumps(table, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise PolicyError("it contains half of a surrogate pair; write the character itself") from None
    except (ValueError, RecursionError):
        # Without the cause, which contains the text.
        raise PolicyError("it is not well-formed JSON") from None
    if not isinstance(table, dict):
        raise PolicyError('it is not a table; write {"name": …, "rules": […]}')
    return table


def with_keywords_inside(table: Mapping[str, Any], read_keywords: ReadKeywords) -> dict[str, Any]:
    """The same policy with the contents of its keywords files in its rules, for places without files.

    Raises:
        PolicyError: a rule's keywords are not well-formed.
    """
    rules = table.get("rules")
    if not isinstance(rules, list):
        return dict(table)
    return {**table, "rules": [_with_keywords_inside(rule, read_keywords) for rule in rules]}


def _with_keywords_inside(rule: Any, read_keywords: ReadKeywords) -> Any:
    if not isinstance(rule, dict) or "keywords_file" not in rule:
        return rule
    rest = {field: value for field, value in rule.items() if field != "keywords_file"}
    return {**rest, "keywords": _keywords(rule, read_keywords)}


def understand(
    table: Mapping[str, Any], read_keywords: ReadKeywords = no_keywords_files, *, version: int | None = None
) -> Understood:
    """The policy that `table` describes. `version`: replaces the version in the table if the caller counts them."""
    problems: list[PolicyError] = []
    try:
        name, title, guard, said, tables = _head(table)
    except PolicyError as error:
        return Understood(None, (error,))
    rules: list[Rule] = []
    for number, fields in enumerate(tables, 1):
        try:
            rules.append(_rule(number, f"{name}/{version or said}#{number}", fields, read_keywords))
        except PolicyError as error:
            problems.append(error)
    if problems:
        return Understood(None, tuple(problems))
    return Understood(Policy(name, version or said, tuple(rules), title, guard), ())


def _head(table: Mapping[str, Any]) -> tuple[str, str, bool, int, list[Any]]:
    """Name, title, guard, version and rules."""
    _check_fields(table, _FIELDS_OF_POLICY, "a policy")
    name, version, rules = table.get("name"), table.get("version", 1), table.get("rules")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        complaint = (
            f"it needs a name: up to {MAX_NAME_CHARACTERS} letters, digits, spaces, dots, hyphens or underscores"
        )
        raise PolicyError(complaint)
    if type(version) is not int or not 1 <= version <= _MAX_VERSION:
        raise PolicyError("its version must be a whole number from 1")
    if not isinstance(rules, list) or not rules:
        raise PolicyError("it has no rule; write at least one [[rules]]")
    if len(rules) > MAX_RULES:
        raise PolicyError(f"it has more than {MAX_RULES:,} rules; make several policies of it")
    return name, _line(table, "title", MAX_TITLE_CHARACTERS), _flag(table, "guard", default=False), version, rules


_FIELDS_OF_POLICY: Final = frozenset({"name", "version", "title", "guard", "rules"})
_NAME: Final = re.compile(rf"[\w.\-](?:[\w .\-]{{0,{MAX_NAME_CHARACTERS - 2}}}[\w.\-])?")
_MAX_VERSION: Final = 2**31 - 1
_COMMON: Final = frozenset({"kind", "label", "reason"})
_FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "keywords": frozenset({"keywords", "keywords_file", "case", "whole_word", "granularity"}),
    "regex": frozenset({"pattern", "case", "whole_word", "granularity"}),
    "detector": frozenset({"detector", "granularity"}),
    "columns": frozenset({"columns", "case"}),
    "rows": frozenset({"where", "case"}),
}
_ALL_FIELDS: Final = _COMMON.union(_FIELDS_OF_POLICY, *_FIELDS.values())


def _rule(number: int, rule_id: str, fields: Any, read_keywords: ReadKeywords) -> Rule:
    try:
        if not isinstance(fields, dict):
            raise PolicyError("it is not a table; write it below a line [[rules]]")
        kind = fields.get("kind")
        if not isinstance(kind, str) or kind not in _FIELDS:
            raise PolicyError(f"its kind must be one of {', '.join(_FIELDS)}")
        # Cells are always marked as a whole, which is what "match" means here.
        known = _FIELDS[kind] if fields.get("granularity") != "match" else _FIELDS[kind] | {"granularity"}
        _check_fields(fields, _COMMON | known, f"a rule of kind {kind}")
        return Rule(
            rule_id,
            kind,
            _selector(kind, fields, read_keywords),
            _granularity(fields),
            _line(fields, "label", MAX_LABEL_CHARACTERS),
            _line(fields, "reason", MAX_REASON_CHARACTERS),
        )
    except PolicyError as error:
        raise PolicyError(error.reason, number) from None


def _check_fields(table: Mapping[str, Any], known: frozenset[str] | set[str], whose: str) -> None:
    for field in table:
        if field in known:
            continue
        if field in _ALL_FIELDS:
            raise PolicyError(f"it has a field {field}; {whose} has only {', '.join(sorted(known))}")
        raise PolicyError(complaint_about(field, table, known, whose))


def _selector(kind: str, fields: Mapping[str, Any], read_keywords: ReadKeywords) -> Selector:
    case = _flag(fields, "case", default=False)
    match kind:
        case "keywords":
            return Keywords(_keywords(fields, read_keywords), case=case, whole_word=_flag(fields, "whole_word", True))
        case "regex":
            return Pattern(_text(fields, "pattern"), case=case, whole_word=_flag(fields, "whole_word", True))
        case "detector":
            return Detector(_text(fields, "detector"))
        case "columns":
            return Columns(_texts(fields, "columns"), case=case)
        case _:
            return Where(_text(fields, "where"), case=case)


def _keywords(fields: Mapping[str, Any], read_keywords: ReadKeywords) -> list[str]:
    keywords = _texts(fields, "keywords") if "keywords" in fields else []
    if "keywords_file" in fields:
        # Empty lines and comments are skipped in files, unlike in the policy itself.
        lines = read_keywords(_text(fields, "keywords_file")).removeprefix("\ufeff").splitlines()
        keywords += [line for line in lines if line.strip() and not line.startswith("#")]
    elif "keywords" not in fields:
        raise PolicyError("it has neither keywords nor a keywords_file; write one of them")
    return keywords


def _text(fields: Mapping[str, Any], name: str) -> str:
    text = fields.get(name)
    if not isinstance(text, str) or not text:
        raise PolicyError(f"it needs a {name}, a text between quotes")
    return text


def _texts(fields: Mapping[str, Any], name: str) -> list[str]:
    texts = fields.get(name)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise PolicyError(f"its {name} must be a list of texts")
    return [*texts]


def _flag(fields: Mapping[str, Any], name: str, default: bool) -> bool:
    flag = fields.get(name, default)
    if not isinstance(flag, bool):
        raise PolicyError(f"its {name} must be true or false")
    return flag


def _granularity(fields: Mapping[str, Any]) -> Granularity:
    try:
        return Granularity(fields.get("granularity", Granularity.MATCH))
    except ValueError:
        raise PolicyError(f"its granularity must be one of {', '.join(Granularity)}") from None


def _line(fields: Mapping[str, Any], name: str, limit: int) -> str:
    line = fields.get(name, "")
    if not isinstance(line, str) or len(line) > limit or not line.isprintable():
        raise PolicyError(f"its {name} must be a text of one line, of {limit:,} characters at most")
    return line

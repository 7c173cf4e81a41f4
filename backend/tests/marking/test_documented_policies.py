"""What docs/policies.md says of rules is so, and the policies beside it can be used."""

import re
from pathlib import Path

import pytest

from sieve.core.document import Document
from sieve.core.markup import parse as parse_marked
from sieve.core.markup import print_document
from sieve.formats.reading import read
from sieve.marking import apply_policy
from sieve.marking.policy import Policy, parse

DOCS = Path(__file__).parents[3] / "docs"
GUIDE = (DOCS / "policies.md").read_text()
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXAMPLES = {
    "cui": [
        "(U) Fine.\n\n<$S>(CUI//SP-PRVCY) Pay of\nAnna.<$E>\n\n(U) a (c) b\n",
        "<$S>CUI//NOFORN<$E>\n\nThe cui bono.\n\n<$S>This is for official\nuse only.<$E>",
    ],
    "nato": [
        "(NU) One.\n\n<$S>(NS) Two.<$E>\n\nNATO secretariat at <$S>45.4215, -75.6972<$E>.\n\n<$S>NATO\nRESTRICTED<$E>"
    ],
    "uk": [
        "OFFICIAL\n\nA secret.\n\n<$S>OFFICIAL - SENSITIVE\nTwo.<$E>\n\n<$S>UK SECRET<$E>\n\nUK SECRETARIAT, SECRETARY"
    ],
    "personal-data": [
        "Write to <$S>anna@example.com<$E> or <$S>+1 416 555 0123<$E>, card <$S>4111 1111 1111 1111<$E>, account\n"
        "<$S>GB29 NWBK 6016 1331 9268 19<$E>, SIN <$S>046 454 286<$E>, SSN <$S>536-90-4399<$E>, DOB <$S>1980-02-29<$E>,"
        " host\n<$S>10.0.0.1<$E>, at <$S>45.4215, -75.6972<$E>.",
    ],
}


def pairs() -> list[tuple[str, str, str]]:
    """Each rule of the guide, with the example below it and that example's kind."""
    blocks = BLOCK.findall(GUIDE)
    rules = [index for index, (kind, _) in enumerate(blocks) if kind == "toml"]
    # The line end before the closing fence is no part of a text.
    return [(blocks[index][1], blocks[index + 1][0], blocks[index + 1][1].removesuffix("\n")) for index in rules]


def marked(policy: Policy, kind: str, content: bytes) -> str:
    reading = read("example." + {"text": "txt"}.get(kind, kind), content)
    spans = reading.spans(list(apply_policy.marks(policy.rules, reading.units())))
    return print_document(Document(content, spans)).decode()


@pytest.mark.parametrize(("rule", "kind", "example"), pairs())
def test_the_guide_shows_what_a_rule_marks(rule: str, kind: str, example: str) -> None:
    policy = parse(f'name = "example"\n{rule}', lambda _name: "")
    assert marked(policy, kind, parse_marked(example.encode()).content) == example


def test_the_guide_has_an_example_of_every_kind_and_granularity() -> None:
    rules = "".join(rule for rule, _, _ in pairs())
    assert set(re.findall(r'kind = "(\w+)"', rules)) == {"keywords", "regex", "detector", "columns", "rows"}
    granularities = {"word", "sentence", "paragraph", "page", "document"}
    assert set(re.findall(r'granularity = "(\w+)"', rules)) == granularities


@pytest.mark.parametrize("path", sorted((DOCS / "policies").iterdir()), ids=lambda path: path.stem)
def test_each_example_policy_marks_what_it_is_for(path: Path) -> None:
    policy = parse(path.read_text(), lambda _name: "")
    assert policy.name == path.stem
    assert all(rule.reason for rule in policy.rules)
    for example in EXAMPLES[path.stem]:
        assert marked(policy, "text", parse_marked(example.encode()).content) == example

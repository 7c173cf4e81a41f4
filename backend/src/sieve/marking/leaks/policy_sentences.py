"""The sentences of findings about what a policy would mark."""

from sieve.core.sentence import Sentence
from sieve.core.units import Mark
from sieve.marking.leaks.finding import short


def would_mark(hit: Mark, found: str) -> Sentence:
    """What the policy would mark: a text."""
    text = short(found)
    if not hit.rule:
        return Sentence("leak-policy", "The policy would mark “{text}”{reason}", text=text, reason=_because(hit))
    return Sentence(
        "leak-rule",
        "Rule {rule} of the policy would mark “{text}”{reason}",
        rule=hit.rule,
        text=text,
        reason=_because(hit),
    )


def would_mark_all(hit: Mark) -> Sentence:
    """The same for a whole unit."""
    address = short(hit.address)
    if not hit.rule:
        return Sentence(
            "leak-policy-all",
            "The policy would mark all of “{address}”{reason}",
            address=address,
            reason=_because(hit),
        )
    return Sentence(
        "leak-rule-all",
        "Rule {rule} of the policy would mark all of “{address}”{reason}",
        rule=hit.rule,
        address=address,
        reason=_because(hit),
    )


def would_mark_name(hit: Mark, found: str) -> Sentence:
    """The same for the name of the document, which cannot be marked."""
    text = short(found)
    if not hit.rule:
        return Sentence(
            "leak-policy-name",
            "The document's name, which travels plain, contains “{text}”: The policy would mark it{reason}",
            text=text,
            reason=_because(hit),
        )
    return Sentence(
        "leak-rule-name",
        "The document's name, which travels plain, contains “{text}”: Rule {rule} of the policy would mark it{reason}",
        text=text,
        rule=hit.rule,
        reason=_because(hit),
    )


def _because(hit: Mark) -> str:
    return f" ({hit.reason})" if hit.reason else ""

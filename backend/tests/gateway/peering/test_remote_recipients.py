"""What a peer says about its recipients: a unit is optional, and nothing invisible is kept."""

from typing import Any

import pytest

from sieve.gateway.peering.links import RemoteRecipient

ANNA = {"name": "anna", "display_name": "Anna Berg", "cleared": True}


@pytest.mark.parametrize(
    ("said", "unit"),
    [
        ({}, None),
        ({"unit": None}, None),
        ({"unit": 7}, None),
        ({"unit": " \u202e"}, None),
        ({"unit": " Harbour\u202e office "}, "Harbour office"),
        ({"unit": "u" * 1000}, "u" * 100),
    ],
)
def test_a_unit_is_optional_and_at_most_100_characters(said: dict[str, Any], unit: str | None) -> None:
    assert RemoteRecipient.of(ANNA | said) == RemoteRecipient("anna", "Anna Berg", True, unit)

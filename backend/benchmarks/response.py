"""The response time of a transfer, by the thesis's definition, from the parts that the gateways measured."""

from collections.abc import Mapping

_PARTS = {
    "sieve": ("data_transfer", "sieve", "integrate", "split", "combine"),
    # Nothing is sieved for it, nor integrated: its document could have been sent as it is.
    "secure-only": ("data_transfer", "split", "combine"),
}


def response_ms(mode: str, timings: Mapping[str, float]) -> float:
    """Data transfer, and the sieve's own steps where the mode has them."""
    return sum(timings[part] for part in _PARTS.get(mode, _PARTS["sieve"]))

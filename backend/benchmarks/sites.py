"""A site: two gateways and what stands between them. Cases of one site are measured on the same pair, in turns."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.cases import AES_256, Case
from benchmarks.gateways import Gateways, NotTaken, Place, two_gateways
from benchmarks.relay import relays
from benchmarks.wires import Wires, wires
from sieve import cipher_suites


@dataclass(frozen=True, slots=True)
class Site:
    """`cipher`: the suite of the secure channel. `is_limited`: over wires. `is_emulated`: 3DES is burnt between."""

    cipher: str = AES_256
    is_limited: bool = False
    is_emulated: bool = False

    def __str__(self) -> str:
        parts = [self.cipher]
        parts += ["limited links"] if self.is_limited else []
        parts += ["3DES emulated"] if self.is_emulated else []
        return ", ".join(parts)


def site_of(case: Case) -> Site:
    """Where a case is measured."""
    return Site(case.cipher, case.link is not None, case.emulated == "3des")


@dataclass(slots=True)
class Opened:
    """A site that is up. `wires`: to be shaped for each case, if it has any."""

    gateways: Gateways
    wires: Wires | None = None
    _shaped: object = None

    def make_ready(self, case: Case) -> None:
        """Links as the case wants them; nothing kept open leads over another way."""
        if self.wires is not None and case.link is not None and case.link != self._shaped:
            self.wires.shape(case.link)
            self.gateways.cut()
            self._shaped = case.link


@contextmanager
def opened(site: Site, folder: Path, ms_per_mb: float) -> Iterator[Opened]:
    """Both gateways as the site wants them. `ms_per_mb`: what is burnt where 3DES is emulated.

    Raises:
        NotTaken: the gateways do not agree on the site's cipher.
        WiresMissing, RelayMissing, DemoError: the machine does not allow it, or a gateway did not start.
    """
    with ExitStack() as stack:
        place = Place(settings=_cipher_settings(site.cipher))
        between = stack.enter_context(relays(ms_per_mb)) if site.is_emulated else None
        if between is not None:
            where = f"127.0.0.1:{between.port}"
            place = replace(place, its={"SIEVE_SECURE_URL": f"https://{where}"}, channels={"secure": where})
        wired = stack.enter_context(wires()) if site.is_limited else None
        if wired is not None:
            place = replace(
                place,
                binds={"web": f"{wired.secure}:0", "secure": f"{wired.secure}:0", "plain": f"{wired.plain}:0"},
                # The benchmark stands before its web listener, on a wire that nobody else is on.
                its={"SIEVE_TRUSTED_PROXY": wired.sender},
                prefix=("ip", "netns", "exec", wired.namespace),
            )
        gateways = stack.enter_context(two_gateways(folder, place))
        if between is not None:
            between.pass_on(gateways.bravo.listeners["secure"])
        agreed = gateways.secure_cipher()
        if agreed != site.cipher:
            raise NotTaken(f"the gateways agreed on {agreed}")
        yield Opened(gateways, wired)


def _cipher_settings(cipher: str) -> dict[str, str]:
    if cipher == AES_256:
        return {}  # what gateways agree on that were told nothing
    settings = {"SIEVE_TLS_CIPHERS": cipher}
    # Older suites are for measuring between gateways of one machine.
    return settings | ({"SIEVE_RESEARCH_TLS_CIPHERS": "true"} if cipher in cipher_suites.OLDER else {})

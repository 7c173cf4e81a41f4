"""A deployment: two gateways and the network between them. Cases of one deployment use the same pair, in turns."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.cases import AES_256, Case
from benchmarks.gateways import Gateways, NotTaken, Place, two_gateways
from benchmarks.limited_links import LimitedLinks, limited_links
from benchmarks.relay import relays
from sieve import cipher_suites


@dataclass(frozen=True, slots=True)
class Deployment:
    """`cipher`: the secure channel's suite. `is_limited`: its links have a limited rate. `is_emulated`: 3DES is."""

    cipher: str = AES_256
    is_limited: bool = False
    is_emulated: bool = False

    def __str__(self) -> str:
        parts = [self.cipher]
        parts += ["limited links"] if self.is_limited else []
        parts += ["3DES emulated"] if self.is_emulated else []
        return ", ".join(parts)


def deployment_of(case: Case) -> Deployment:
    """Where a case is measured."""
    return Deployment(case.cipher, case.link is not None, case.emulated == "3des")


@dataclass(slots=True)
class RunningDeployment:
    """A deployment that is up. `links`: to be shaped for each case, if it has any."""

    gateways: Gateways
    links: LimitedLinks | None = None
    _shaped: object = None

    def make_ready(self, case: Case) -> None:
        """Shapes the links for the case, and closes kept-open connections that would use others."""
        if self.links is not None and case.link is not None and case.link != self._shaped:
            self.links.shape(case.link)
            self.gateways.cut()
            self._shaped = case.link


@contextmanager
def deploy(deployment: Deployment, folder: Path, ms_per_mb: float) -> Iterator[RunningDeployment]:
    """Starts both gateways for the deployment. `ms_per_mb`: the processor time that relays use where 3DES is emulated.

    Raises:
        NotTaken: the gateways do not agree on the deployment's cipher.
        LinksUnavailable, RelayMissing, DemoError: the machine does not allow it, or a gateway did not start.
    """
    with ExitStack() as stack:
        place = Place(settings=_cipher_settings(deployment.cipher))
        between = stack.enter_context(relays(ms_per_mb)) if deployment.is_emulated else None
        if between is not None:
            where = f"127.0.0.1:{between.port}"
            place = replace(place, its={"SIEVE_SECURE_URL": f"https://{where}"}, channels={"secure": where})
        links = stack.enter_context(limited_links()) if deployment.is_limited else None
        if links is not None:
            place = replace(
                place,
                binds={"web": f"{links.secure}:0", "secure": f"{links.secure}:0", "plain": f"{links.plain}:0"},
                # The benchmark reaches its web listener over a link of its own.
                its={"SIEVE_TRUSTED_PROXY": links.sender, "SIEVE_ALLOWED_HOSTS": links.secure},
                prefix=("ip", "netns", "exec", links.namespace),
            )
        gateways = stack.enter_context(two_gateways(folder, place))
        if between is not None:
            between.pass_on(gateways.bravo.listeners["secure"])
        agreed = gateways.secure_cipher()
        if agreed != deployment.cipher:
            raise NotTaken(f"the gateways agreed on {agreed}")
        yield RunningDeployment(gateways, links)


def _cipher_settings(cipher: str) -> dict[str, str]:
    if cipher == AES_256:
        return {}  # what gateways agree on without a setting
    settings = {"SIEVE_TLS_CIPHERS": cipher}
    # Older suites are for measuring between gateways of one machine.
    return settings | ({"SIEVE_RESEARCH_TLS_CIPHERS": "true"} if cipher in cipher_suites.OLDER else {})

"""What 3DES costs on this machine, by `openssl speed`: milliseconds for each MB, without the SHA-1 beside it."""

import re
import shutil
import subprocess

RECORD = 16 * 1024
SECONDS = 1
CIPHER = "des-ede3-cbc"
# The last line, in thousands of bytes a second: "DES-EDE3-CBC     33701.89k"
_RATE = re.compile(r"^des-ede3-cbc\s+([\d.]+)k\s*$", re.MULTILINE | re.IGNORECASE)


class SpeedUnknown(Exception):
    """openssl does not say; the message says why."""


def ms_per_mb() -> float:
    """As measured just now, in pieces of a TLS record.

    Raises:
        SpeedUnknown: there is no openssl, or it has no 3DES.
    """
    program = shutil.which("openssl")
    if program is None:
        raise SpeedUnknown("openssl is not on the PATH (Debian: apt-get install openssl)")
    done = subprocess.run(  # noqa: S603 -- the openssl of this machine
        [program, "speed", "-seconds", str(SECONDS), "-bytes", str(RECORD), "-evp", CIPHER],
        capture_output=True,
        text=True,
        check=False,
    )
    return parse(done.stdout)


def parse(said: str) -> float:
    """The milliseconds in what `openssl speed` printed.

    Raises:
        SpeedUnknown: they are not there.
    """
    found = _RATE.search(said)
    if found is None:
        raise SpeedUnknown("openssl speed did not measure des-ede3-cbc; this OpenSSL may be built without it")
    return 1e6 / float(found[1])

"""Measures decryptions: plain RSA, batches, and what servers do today. In processor time of this thread, in turns."""

import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import gmpy2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, x25519

from sieve.cli.errors import Failed
from sieve.lab.batch_rsa import paper, printed_algorithms
from sieve.lab.batch_rsa.keys import PLAIN_EXPONENT, BatchKey, make_key
from sieve.lab.batch_rsa.model import EXPONENTS, speedup
from sieve.lab.batch_rsa.tree import BatchDecryptor, counted_speedup

Job = Callable[[], object]
BATCHES: Final = (2, 3, 4, 5, 6, 7, 8)
TODAY_BITS: Final = 2048
ABOUT_S: Final = 0.02
"""How long one job is repeated in one round."""


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of each job, for each round."""

    rounds: Mapping[str, Sequence[float]]

    def median(self, name: str) -> float:
        return statistics.median(self.rounds[name])

    def ratio(self, name: str, other: str, times: int = 1) -> tuple[float, float, float]:
        """The median of `times` x name / other within each round, and its quartiles."""
        each = [times * a / b for a, b in zip(self.rounds[name], self.rounds[other], strict=True)]
        low, middle, high = statistics.quantiles(each, n=4, method="inclusive")
        return middle, low, high


def measure(jobs: Mapping[str, Job], rounds: int) -> Times:
    """Each round runs all jobs once, as often as takes `ABOUT_S`, so that a busy machine slows all of them."""
    repeats = {name: max(1, round(ABOUT_S / max(_seconds(job, 1), 1e-7))) for name, job in jobs.items()}
    found: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            found[name].append(_seconds(job, repeats[name]))
    return Times(found)


def _seconds(job: Job, repeats: int) -> float:
    before = time.thread_time()
    for _ in range(repeats):
        job()
    return (time.thread_time() - before) / repeats


def speedups(bits: int, rounds: int) -> Iterator[dict[str, Any]]:
    """Rows of table 2, measured: bare arithmetic, as in the paper, and with blinding and a check of the root."""
    draw = random.SystemRandom()
    key = make_key(bits, EXPONENTS[: BATCHES[-1]], draw)
    messages = [gmpy2.mpz(draw.randrange(2, int(key.n))) for _ in key.exponents]
    ciphertexts = {e: gmpy2.powmod(m, e, key.n) for e, m in zip(key.exponents, messages, strict=True)}
    one = {key.exponents[0]: ciphertexts[key.exponents[0]]}
    plain = key.root([PLAIN_EXPONENT])
    jobs: dict[str, Job] = {
        "plain": lambda: plain.plain(one[3]),
        "plain crt": lambda: plain.by_crt(one[3]),
        "plain safe": _blinded_plain(key, one[3], draw),
        **{
            f"{batch} {form}": _batch(key, dict(list(ciphertexts.items())[:batch]), messages, form, draw)
            for batch in BATCHES
            for form in ("", "crt", "safe")
        },
    }
    times = measure(jobs, rounds)
    for batch in BATCHES:
        for form in ("", "crt", "safe"):
            middle, low, high = times.ratio(f"plain {form}".strip(), f"{batch} {form}", batch)
            yield {
                "bits": bits,
                "batch": batch,
                "form": form or "no crt",
                "plain_ms": 1e3 * times.median(f"plain {form}".strip()),
                "batch_ms": 1e3 * times.median(f"{batch} {form}"),
                "speedup": middle,
                "low": low,
                "high": high,
                "formula": speedup(bits, batch),
                "counted": counted_speedup(bits, key.exponents[:batch], crt=form != ""),
                **_printed(bits, batch),
            }


def _printed(bits: int, batch: int) -> dict[str, float | None]:
    if bits not in paper.BITS or batch not in paper.BATCHES:
        return {"printed": None, "printed_real": None}
    column = paper.BATCHES.index(batch)
    return {
        "printed": float(paper.TABLE_2[bits][column]),
        "printed_real": float(paper.TABLE_2_REAL[bits][column]),
    }


def _batch(key: BatchKey, values: Mapping[int, int], messages: Sequence[int], form: str, draw: random.Random) -> Job:
    """A job that decrypts a batch; it is tried once."""
    decryptor = BatchDecryptor(key, draw if form == "safe" else None, crt=form != "")
    if list(decryptor.decrypt(values).values()) != messages[: len(values)]:
        raise Failed(f"a batch of {len(values)} with {int(key.n).bit_length()} bits was decrypted wrongly")
    return lambda: decryptor.decrypt(values)


def _blinded_plain(key: BatchKey, value: int, draw: random.Random) -> Job:
    """Plain RSA with the same precautions as a batch, for e = 65537, as servers have it."""
    decryptor = BatchDecryptor(BatchKey(key.p, key.q, (PLAIN_EXPONENT,)), draw)
    return lambda: decryptor.decrypt({PLAIN_EXPONENT: value})


def papers_form(bits: int, batch: int, rounds: int) -> dict[str, Any]:
    """What it saves that clients send v': the mended algorithm 1 beside the tree."""
    draw = random.SystemRandom()
    key = make_key(bits, EXPONENTS[:batch], draw)
    pairs = zip(key.exponents, printed_algorithms.siblings(key.exponents), strict=True)
    sent = [printed_algorithms.algorithm_2(draw.randrange(2, int(key.p)), e, other, key.n) for e, other in pairs]
    values = dict(zip(key.exponents, (each.v for each in sent), strict=True))
    decryptor = BatchDecryptor(key, None)
    times = measure(
        {
            "paper": lambda: printed_algorithms.algorithm_1(key, sent, mended=True),
            "tree": lambda: decryptor.decrypt(values),
            "v'": lambda: printed_algorithms.lowest_powers(sent, key.exponents, key.n),
        },
        rounds,
    )
    return {
        "bits": bits,
        "batch": batch,
        "paper_ms": 1e3 * times.median("paper"),
        "tree_ms": 1e3 * times.median("tree"),
        "raising_ms": 1e3 * times.median("v'"),
    }


def today(rows: Sequence[Mapping[str, Any]], rounds: int) -> list[dict[str, Any]]:
    """The private operations of one full handshake in ms, by OpenSSL and by us. `rows`: of `speedups`."""
    ours = {(row["form"], row["batch"]): row for row in rows if row["bits"] == TODAY_BITS}
    old = rsa.generate_private_key(PLAIN_EXPONENT, TODAY_BITS)
    secret = old.public_key().encrypt(bytes(48), padding.PKCS1v15())
    signer, hashed = ec.generate_private_key(ec.SECP256R1()), ec.ECDSA(hashes.SHA256())
    client = x25519.X25519PrivateKey.generate().public_key()
    times = measure(
        {
            "rsa": lambda: old.decrypt(secret, padding.PKCS1v15()),
            "rsa sign": lambda: old.sign(bytes(48), padding.PKCS1v15(), hashes.SHA256()),
            "ecdsa": lambda: signer.sign(bytes(48), hashed),
            "x25519": lambda: x25519.X25519PrivateKey.generate().exchange(client),
        },
        rounds,
    )
    ms = {name: 1e3 * times.median(name) for name in times.rounds}
    return [
        {
            "name": "rsa-plain",
            "what": "RSA key exchange, plain, without CRT, by GMP",
            "ms": ours["no crt", 2]["plain_ms"],
        },
        {"name": "rsa-crt", "what": "RSA key exchange, plain, with CRT, by GMP", "ms": ours["crt", 2]["plain_ms"]},
        *(
            {
                "name": f"rsa-batch-{batch}",
                "what": f"RSA key exchange, batches of {batch}, with CRT, by GMP",
                "ms": ours["crt", batch]["batch_ms"] / batch,
            }
            for batch in (4, 8)
        ),
        {"name": "rsa-openssl", "what": "RSA key exchange, plain, by OpenSSL", "ms": ms["rsa"]},
        {
            "name": "ecdhe-rsa",
            "what": "ECDHE (X25519) with RSA signature, by OpenSSL",
            "ms": ms["rsa sign"] + ms["x25519"],
        },
        {
            "name": "ecdhe-ecdsa",
            "what": "ECDHE (X25519) with ECDSA (P-256), by OpenSSL",
            "ms": ms["ecdsa"] + ms["x25519"],
        },
    ]

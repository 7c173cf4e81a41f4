"""`make lab-batch-rsa-page`: writes docs/laboratory/batch-rsa.md and its figures.

It runs `sieve lab batch-rsa`, or reads what that printed with --json.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.__main__ import RESULTS
from benchmarks.batch_rsa_figures import FIGURES
from benchmarks.machine import machine
from sieve.cli.errors import CommandError
from sieve.cli.lab.batch_rsa import experiment
from sieve.cli.lab.batch_rsa.command import sizes_text
from sieve.cli.lab.machine import described

PAGE, FOLDER, RAW = "batch-rsa.md", "batch-rsa", "batch-rsa.json"
Found = Mapping[str, Any]

HEAD = """\
# Batch RSA with a unique certificate

*User Requirements-aware Security Ranking in SSL Protocol* (Qi, Tang, Wang and Wu) lets a TLS server decrypt the
secrets of several clients at once, all with one certificate, and chooses how many by the response time that users
tolerate. This page builds that, and holds each printed value against ours.

**It is a reproduction of a paper, and never protects a document.** No gateway uses or loads it.

`make lab-batch-rsa` runs the quick form in a minute; `make lab-batch-rsa-page` measures in full and writes this page.
In an installation, `sieve lab batch-rsa` needs the extra `lab`: `pip install 'security-sieve[lab]'`.

Figures are cited by section: the authors' manuscript, which we used, has no page numbers.

Verdicts: **follows**: the printed method gives the printed value. **Does not follow**: it does not; the arithmetic
says why. **Differs on today's machines**: a measured value that is not ours.
"""

SCHEME = """\
## What it does

Fiat's batch RSA takes ciphertexts v_1 to v_b of one modulus n, each for a small exponent of its own (3, 5, 7, 11 and
so on). *Up* a binary tree of the exponents, it multiplies them to v = ∏ v_i^(e / e_i), where e is the product of the
exponents. *At the root*, it takes one root m = v^(1/e), as expensive as one plain decryption. *Down* the tree, it
breaks m up into the messages. So b decryptions cost one large exponentiation and many small ones.

In the paper's unique-certificate scheme, `ServerHello.random` gives each client its exponent, and that of its sibling
in the tree. The client encrypts for its exponent instead of the certificate's. It also sends v' = v^e' for its
sibling, which saves the server the lowest level of the way up.

| what | where |
|---|---|
"""

_LAB, _CLI, _PAGES = "backend/src/sieve/lab/batch_rsa", "backend/src/sieve/cli/lab/batch_rsa", "backend/benchmarks"
CODE = {
    "keys, roots, the tree": (f"{_LAB}/keys.py", f"{_LAB}/tree.py"),
    "algorithms 1 and 2, as printed and mended (section 2)": (f"{_LAB}/printed_algorithms.py",),
    "the unique certificate (section 3, figure 1)": (f"{_LAB}/certificate.py",),
    "equations 1 to 7 (section 5) and 8 (section 6.2), theorem 1 (section 4)": (f"{_LAB}/model.py",),
    "algorithm 3 (section 5) as printed and mended, and our choice of a size": (f"{_LAB}/optimiser.py",),
    "the printed tables and claims": (f"{_LAB}/paper.py",),
    "which requests form a batch": (f"{_LAB}/queue.py",),
    "measurements, the TLS server, its clients": (_CLI,),
    "this page and its figures": (f"{_PAGES}/batch_rsa_page.py", f"{_PAGES}/batch_rsa_figures.py"),
}

SECURITY = """\
## Safety, and where the paper is wrong about it

- **The unique certificate weakens TLS.** With RSA key exchange, nothing signs `ServerHello`. Only the *Finished*
  messages cover it, under keys that come from the secret. An attacker on the path who changes e_i to 1 reads the
  secret, and can finish the handshake with both sides. Our client refuses exponents that no batch has; then a change
  only breaks the handshake.
- **It is not backward compatible.** A stock client encrypts for the exponent of the certificate, so its handshake
  fails (a test shows it with OpenSSL's). Stock clients need a certificate for each exponent, which the paper
  tries to avoid.
- **v' makes clients depend on each other.** A client that sends a wrong v' spoils the secret of its sibling. And v'
  is of no use in a partial batch without that sibling. Our server ignores v'; table 2 says what it would save.
- **Side channels.** The private exponent goes through GMP's `mpz_powm_sec`, whose time does not depend on it. Each
  batch is blinded with a random number at each leaf, so that the small exponentiations and the inversions, whose time
  depends on their operands, see no message. The root is checked before use, because one faulty root of the CRT gives
  the modulus away. A ciphertext without an inverse is decrypted alone, or it would spoil the batch. The rest is
  Python: it erases nothing, and its time is not constant. Padding is checked by tlslite-ng, which replaces a secret
  with wrong padding by a random one, and says itself that Python cannot do that in constant time.
- **A batch links its clients in time.** All its answers leave together; a client that fills three places of a
  batch of four learns when the fourth client came.
"""


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.batch_rsa_page")
    parser.add_argument("--quick", action="store_true", help="measure for a minute")
    parser.add_argument("--measured", type=Path, help="do not measure: read what an earlier run wrote")
    parser.add_argument("--into", type=Path, default=RESULTS, help="the folder for the page and its figures")
    asked = parser.parse_args()
    try:
        if asked.measured:
            found = json.loads(asked.measured.read_text())
            form = experiment.FULL if found["form"] == experiment.FULL.name else experiment.QUICK
            found |= experiment.computed(form, found["speedups"])
        else:
            found = {
                "commit": machine(RESULTS.parent)["commit"],
                **experiment.run(experiment.QUICK if asked.quick else experiment.FULL),
            }
            RESULTS.mkdir(parents=True, exist_ok=True)
            (RESULTS / RAW).write_text(json.dumps(found, indent=1))
    except (CommandError, OSError, ValueError) as error:
        print(f"batch_rsa_page: {error}", file=sys.stderr)
        return 1
    print(write(found, asked.into))
    return 0


def write(found: Found, into: Path) -> Path:
    """Writes the page and its figures; returns the page."""
    (into / FOLDER).mkdir(parents=True, exist_ok=True)
    for name, draw in FIGURES.items():
        (into / FOLDER / f"{name}.svg").write_bytes(draw(found))
    page = into / PAGE
    page.write_text("\n".join([*_page(found), ""]))
    return page


def _page(found: Found) -> Iterator[str]:
    yield HEAD
    commit = found.get("commit") or "unknown"
    yield f"**Measured** at {found['at']}, commit {commit}: {described(found['machine'])}; form `{found['form']}`.\n"
    yield SCHEME + "".join(f"| {what} | {_links(paths)} |\n" for what, paths in CODE.items())
    yield from _table_2(found)
    yield from _table_1(found)
    yield from _responses(found)
    yield from _claims(found)
    yield SECURITY
    yield from _handshakes(found)
    yield from _today(found)


def _table_2(found: Found) -> Iterator[str]:
    rows = {(row["bits"], row["batch"], row["form"]): row for row in found["speedups"]}
    best = rows[2048, 6, "no crt"]
    yield f"""\
## Table 2: the speed-up of a batch (section 6.2; equation 1: section 5)

Plain decryptions over one batch, in processor time of one thread: the median of rounds in which all are measured in
turn, ours with quartiles. Plain RSA and the root of a batch use the same function of GMP 6 (`powm_sec`). *Without
CRT* is what equation 1 compares. *With CRT*, plain RSA is about four times as fast, so a batch gains less. *Safe* adds
blinding and the check of the root to both sides. *Counted*: by counting modular multiplications, without CRT.

With 2048 bits and b = 6, the paper measured 3.80. Ours: {best["speedup"]:.2f} without CRT, {
        rows[2048, 6, "crt"]["speedup"]:.2f} with CRT, {rows[2048, 6, "safe"]["speedup"]:.2f} with all precautions.

![Speed-up by the size of the batch: equation 1, the paper's measurement, and ours]({FOLDER}/speedup.svg)

| bits | b | equation 1, printed | computed | measured there | ours, without CRT | with CRT | safe | counted |
|--:|--:|--:|--:|--:|--:|--:|--:|--:|"""
    for (bits, batch, form), row in rows.items():
        if form == "no crt":
            crt, safe = rows[bits, batch, "crt"], rows[bits, batch, "safe"]
            yield (
                f"| {bits} | {batch} | {_dash(row['printed'])} | {row['formula']:.2f} | {_dash(row['printed_real'])} | "
                f"{_spread(row)} | {_spread(crt)} | {_spread(safe)} | {row['counted']:.2f} |"
            )
    yield "\nPlain RSA in milliseconds; the paper has 16, 32 and 130 for 512, 1024 and 2048 bits:\n"
    yield "| bits | without CRT | with CRT | with CRT, safe |\n|--:|--:|--:|--:|"
    for bits in dict.fromkeys(bits for bits, *_ in rows):
        times = (rows[bits, 2, form]["plain_ms"] for form in ("no crt", "crt", "safe"))
        yield f"| {bits} | " + " | ".join(f"{each:.3f}" for each in times) + " |"
    yield ""
    yield from _compared([*found["table_2"], *found["table_2_measured"]])
    yield """
What clients save the server by sending v' (b = 4, with CRT, without blinding), in milliseconds for each batch.
*Raising* is all that v' replaces: each ciphertext to the exponent of its sibling (step 20 of algorithm 1). The two
programs differ by more than that.

| bits | algorithm 1, mended | our tree | raising |
|--:|--:|--:|--:|"""
    for row in found["papers_form"]:
        yield f"| {row['bits']} | {row['paper_ms']:.3f} | {row['tree_ms']:.3f} | {row['raising_ms']:.3f} |"


def _table_1(found: Found) -> Iterator[str]:
    yield f"""
## Table 1: the optimal batch size (section 6.1; algorithm 3: section 5)

Algorithm 3 takes the largest b that theorem 1 (b ≤ n / (log2 n)²) and theorem 2 (b < 0.4 (λ TRT + 1)) allow and that
is stable (T_b ≤ b / λ). T_b is equation 1 with the paper's plain RSA of 16, 32 and 130 ms; - is plain RSA. The
printed table has TRT = 1 s. It follows from {_one_second(found)} of its 45 places; with TRT = 2 s and caps of 8, 10
and 6 instead of theorem 1's 6, 10 and 16, all but four do. The paper's *simulation results* are the same numbers, so
they are not repeated.

![Batch size by arrival rate: printed, by algorithm 3, and with the values that fit]({FOLDER}/batch-size.svg)

| λ | 512, printed | ours | 1024, printed | ours | 2048, printed | ours |
|--:|--:|--:|--:|--:|--:|--:|"""
    rows = found["table_1"]
    for first in range(0, len(rows), 3):
        cells = [f"{row['printed']} | {_bold(row)}" for row in rows[first : first + 3]]
        yield f"| {_rate(rows[first])} | " + " | ".join(cells) + " |"
    yield "\nBold: does not follow, because\n"
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row["because"]:
            reasons.setdefault(row["because"], []).append(row["where"].removeprefix("Table 1, "))
    for because, places in reasons.items():
        yield f"- {'; '.join(places)}: {because}."
    yield """
Algorithm 3 is no optimum. It takes the *largest* stable size, even where a smaller one is faster: with 512 bits,
equation 1 gives b = 8 half the speed-up of b = 4. It bounds a sum of upper limits instead of the response, and falls
back on plain RSA where that is unstable, too. Ours takes, of the sizes whose mean response keeps the bound, the one
with the least work for each request. Its formula for the mean response (Krämer and Langenbach-Belz) is within 5 % of
the simulation. With the times that we measured (CRT, all precautions) and a bound of one second:

| bits | requests a second | busy with plain RSA | least work: b | mean response, ms | soonest: b | mean response, ms |
|--:|--:|--:|--:|--:|--:|--:|"""
    for row in found["optimal"]:
        busy = row["plain_busy"]
        yield (
            f"| {row['bits']} | {row['rate_per_s']:,} | {'unstable' if busy >= 1 else f'{100 * busy:.0f} %'} | "
            f"{_choice(row['least_work'])} | {_choice(row['soonest'])} |"
        )
    yield """
So on one core, batches pay only at hundreds of requests a second. Below, a request waits longer for company than plain
RSA takes."""


def _responses(found: Found) -> Iterator[str]:
    yield f"""
## Figures 2 to 4: response times (section 6.2)

All with 1024 bits, equation 1 and plain RSA of 32 ms. The paper prints curves without values; nothing is read off
them. Solid: the paper's RRT = T_q + T_c + T_b, with T_c = (b - 1) / λ, the wait of the *first* request of a batch.
Dashed: the mean response in a simulation of full batches. The formula is above the simulation, because requests wait
for half of T_c in the mean; close to saturation it is below.

![Figure 2: response by batch size, for five arrival rates]({FOLDER}/figure-2.svg)

Figure 2 follows: RRT is nearly linear in b at λ = 10, where T_c is most of it, and grows with b at λ = 80 as well.
What RRT does not show is that at λ = 80 batches of 2, and of 7 and more, are unstable.

![Figure 3: response by arrival rate, with the sizes of table 1 and with batches of four]({FOLDER}/figure-3.svg)

Figure 3 does not follow: with batches of four (Shacham and Boneh), the response is shorter from λ = 10 to 80, by the
paper's formula and in the simulation. The sizes of table 1 are better up to λ = 4, and, in the simulation, from λ = 90,
close to the 95.7 from which batches of four are unstable. At λ = 100, the printed batches of five are busy 99.8 % of
the time.

![Figure 4: gain over plain RSA by batch size, printed way and true]({FOLDER}/figure-4.svg)

Figure 4 divides RRT by b before it compares. Its gain of 6.69 with b = 10 at λ = 30 is a *loss* by RRT itself: 0.71.
The mean response gains most from the smallest batches, and only where plain RSA is nearly saturated: at λ = 30,
{_gain(found, 30)}; at λ = 20, {_gain(found, 20)}.
"""


def _claims(found: Found) -> Iterator[str]:
    yield "## What else the paper prints\n"
    yield from _compared(found["claims"])
    yield """
The gains of rebalanced RSA (3.6, measured 3.2) and the measured ones of multi-factor RSA (1.73, 2.3) are cited from
other papers, and are not reproduced here.
"""


def _handshakes(found: Found) -> Iterator[str]:
    yield """\
## Real handshakes

A server of TLS 1.2 (tlslite-ng, RSA key exchange, 2048 bits) gives each new client an exponent. Its private operation
waits in the batcher. A batch leaves when each exponent has a request, or when its oldest request has waited for the
longest wait. Clients are OpenSSL's `s_client`, which checks the certificate; in the last line they are our client of
the paper's scheme. Times are the server's, from the connection to the complete handshake; most of that is the start
of clients and of Python.

| what | clients served | batches | mean handshake, ms |
|---|--:|---|--:|"""
    for row in found["handshakes"]:
        yield f"| {row['what']} | {row['clients']} | {sizes_text(row['sizes'])} | {row['handshake_ms']:.0f} |"
    first = found["poisson"][0]
    yield f"""
The same Poisson arrivals ({first["what"].removeprefix("Poisson, ")}, {first["clients"]} clients of OpenSSL) for each
line. *Decryption* runs from the ciphertext's arrival to its message; *simulated*: of the same arrivals, with the mean
time of a batch.

| b | longest wait, ms | batches | mean handshake, ms | decryption, ms | simulated, ms | work, ms |
|--:|--:|---|--:|--:|--:|--:|"""
    for row in found["poisson"]:
        yield (
            f"| {row['batch']} | {row['longest_wait_ms']:g} | {sizes_text(row['sizes'])} | {row['handshake_ms']:.0f} | "
            f"{row['decrypted_ms']:.1f} | {row['simulated_ms']:.1f} | {row['busy_ms']:.0f} |"
        )


def _today(found: Found) -> Iterator[str]:
    ms = {row["what"]: row["ms"] for row in found["today"]}
    ecdsa, rsa = (
        ms[f"{name}, by OpenSSL"] for name in ("ECDHE (X25519) with ECDSA (P-256)", "RSA key exchange, plain")
    )
    batch = ms["RSA key exchange, batches of 8, with CRT, by GMP"]
    yield f"""
## What it would mean today

Nothing. TLS 1.3 has no RSA key exchange, and servers of TLS 1.2 switch it off: an attacker who gets the key later can
read all that was recorded. Signatures cannot be batched in this way, because a certificate has one exponent. And the
reason to batch is gone: a server with ECDHE and ECDSA spends {ecdsa:.3f} ms on the private operations of a handshake.
RSA with 2048 bits in batches of eight takes {batch:.3f} ms by GMP. On top of OpenSSL's faster plain RSA
({rsa:.3f} ms), the same gain of {_gain_over(found)} would give {rsa / _gain_over(found):.3f} ms: no great gain over
ECDHE with ECDSA, at the price of forward secrecy, of waiting for other clients, and of depending on them.

![The server's private operations of one handshake]({FOLDER}/today.svg)

| the server's private operations of one full handshake | ms |
|---|--:|"""
    for row in found["today"]:
        yield f"| {row['what']} | {row['ms']:.3f} |"


def _gain_over(found: Found) -> float:
    row = next(r for r in found["speedups"] if (r["bits"], r["batch"], r["form"]) == (2048, 8, "crt"))
    return round(float(row["speedup"]), 1)


def _compared(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    yield "| value | printed | ours | verdict | because |\n|---|--:|--:|---|---|"
    for row in rows:
        cells = (row[name].replace("|", "\\|") for name in ("where", "printed", "ours", "verdict", "because"))
        yield f"| {' | '.join(cells)} |"


def _links(paths: Sequence[str]) -> str:
    return ", ".join(f"[`{path.rpartition('/')[2]}`](../../{path})" for path in paths)


def _one_second(found: Found) -> int:
    return sum(row["verdict"] == "follows" for row in found["table_1"])


def _rate(row: Mapping[str, str]) -> str:
    return row["where"].split("λ = ")[1].split(",")[0]


def _bold(row: Mapping[str, str]) -> str:
    return row["ours"] if row["verdict"] == "follows" else f"**{row['ours']}**"


def _choice(chosen: Mapping[str, float] | None) -> str:
    return "none | " if chosen is None else f"{chosen['batch']} | {chosen['response_s'] * 1e3:.2f}"


def _gain(found: Found, rate: float) -> str:
    best = max((row for row in found["figure_4"] if row["rate_per_s"] == rate), key=lambda row: float(row["true"]))
    return f"{best['true']:.2f} with b = {best['batch']}"


def _spread(row: Mapping[str, float]) -> str:
    return f"{row['speedup']:.2f} ({row['low']:.2f} to {row['high']:.2f})"


def _dash(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


if __name__ == "__main__":
    sys.exit(main())

"""Batch RSA, after *User Requirements-aware Security Ranking in SSL Protocol* by Qi, Tang, Wang and Wu.

This package reproduces a paper and never protects a document: TLS 1.3 has no RSA key exchange. `keys` and `tree` are
Fiat's batch RSA, `printed_algorithms` is the paper's form of it, `queue` says which requests form a batch, `model` and
`optimiser` choose the size of batches, and `paper` has the paper's numbers beside what follows from them.

`keys`, `tree` and `printed_algorithms` need gmpy2, which only the extra `lab` installs.

Limits: the private exponents go through GMP's `mpz_powm_sec`, whose time does not depend on them, and every decrypted
value is blinded. The other arithmetic is Python's and GMP's, whose time depends on its (blinded) operands, and nothing
is erased from memory. Nobody should use it for a key that matters.
"""

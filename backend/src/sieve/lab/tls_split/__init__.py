"""TLS with the handshake in one process and the records in another, after the thesis "Separation of SSL protocol phases
across process boundaries" (NJIT, 2006).

This package is pure: key schedule, records, the hand-over message, the answer, and the thesis's tables. Sockets and
processes are in `processes` only. It is an experiment. It never protects a user's document (decision 49).
"""

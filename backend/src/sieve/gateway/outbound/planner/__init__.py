"""Which mode, and how many channels: from what sending to a peer has cost so far.

PURE: no IO, clock or randomness. `costs` is the model and what it has learnt, `choice` what follows from it.
"""

"""Chooses mode and channels for a peer from what sending to it has cost so far. Pure: no IO, clock or randomness.

`costs` predicts response times, `kalman` learns from measured ones, `choice` chooses, `grouping` forms groups.
"""

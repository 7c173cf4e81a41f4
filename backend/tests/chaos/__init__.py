"""Trials that break two running gateways on purpose, and count what was lost or delivered twice.

`make chaos` runs a bounded number of them and prints a table; `tests/stories/test_chaos.py` runs a few of each. The
order of the faults, their moments and the documents follow from one seed.
"""

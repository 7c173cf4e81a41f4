"""Detectors: find what looks like an address, a number of a person or a place, by its form and its check digits.

`registry` lists them. The other modules hold the forms and checks, by what they find.
"""

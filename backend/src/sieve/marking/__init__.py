"""Marking by policy: what the rules of a policy find in the text of a document. Pure: no IO, no clock.

Invariant: in doubt, a rule marks more. Words, sentences and paragraphs are rather too large than too small. What cannot
be bounded is refused with an error, never skipped silently.
"""

"""Marking by policy: what the rules of a policy find in the text of a document. Pure: no IO, no clock.

The law: a rule that is in doubt marks more, never less. Words, sentences and paragraphs are taken too large rather than
too small, and what cannot be bounded is refused with a sentence that says so, never left out in silence.
"""

"""What the sieve costs and gains, measured on two real gateways on this machine, beside what a thesis measured in 2011.

    python -m benchmarks                the short form, each experiment at a few of its points, under six minutes
    python -m benchmarks --full         every point, and more of those whose claims are not decided, in 45 minutes
    python -m benchmarks draw --into F  the thesis's experiments as a page with figures, from what was measured last

Three steps: `run` appends raw samples to results/raw/*.jsonl, `extract` makes rows of them, `analyse` prints the tables
and writes results/latest.json. The benchmark measures exactly what the figures of `benchmarks.thesis` read.

Invariants: raw samples are kept and never edited, so that the later steps can be repeated, changed and checked without
measuring again. Everything that is compared is measured in the same run, in turns. The results name each point that
could not be measured, with the reason. A run that leaves out a part of its form goes to results/partial and replaces
nothing.
"""

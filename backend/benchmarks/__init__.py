"""What the sieve costs and gains, measured on two real gateways on this machine.

    python -m benchmarks            the short form, under six minutes
    python -m benchmarks --full     every size and proportion, the large document too

Three steps, one module each: `run` appends raw samples to results/raw/*.jsonl, `extract` makes rows of them, `analyse`
prints the table and writes results/latest.json. The law: raw samples are kept and never edited, so that the later steps
can be repeated, changed and checked without measuring again; and everything that is compared is measured in the same
run, in turns.
"""

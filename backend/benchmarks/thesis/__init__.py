"""The experiments of the thesis that need no arrivals, one file for each family: what the benchmark runs.

"The security sieve", chapter 5 and appendices A and B: figures 5.1 to 5.16, A.1 and A.2, tables 5.2 and B.1 to B.3; and
one figure of ours, a protected link beside a faster plain one, which is where the sieve pays most today.
"""

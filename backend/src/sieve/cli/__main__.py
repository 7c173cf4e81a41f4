"""`python -m sieve.cli` is `sieve`."""

import sys

from sieve.cli.app import main

sys.exit(main())

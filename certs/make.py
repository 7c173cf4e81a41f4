"""Makes what gateways need to identify each other in development: see README.md beside this file."""

import sys

from sieve.demo.certificates import main

sys.exit(main())

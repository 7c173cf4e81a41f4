"""`sieve lab batch-rsa` in an installation without the extra."""

import subprocess
import sys


def test_without_its_packages_one_sentence_says_what_to_install() -> None:
    code = "import sys; sys.modules['gmpy2'] = None; from sieve.cli import main; sys.exit(main(['lab', 'batch-rsa']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "needs the Python package gmpy2" in done.stderr
    assert len(done.stderr.splitlines()) == 1

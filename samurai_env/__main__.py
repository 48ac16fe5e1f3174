"""`python -m samurai_env` is the command `samurai`."""

import sys

from samurai_env.commands import main

if __name__ == "__main__":
    sys.exit(main())

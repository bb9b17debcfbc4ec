"""How much is run: ``make test`` takes a choice of what repeats itself, ``make test-all`` the whole."""

import os
from typing import Final

WHOLE: Final = bool(os.environ.get("ALL_TESTS"))
"""Whether repetitions run too: more of the same on the same road through the code."""

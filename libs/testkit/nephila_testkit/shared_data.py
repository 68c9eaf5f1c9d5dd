"""Conformance data that nobody here wrote, read in place where it lies beside the checkout."""

import os
from pathlib import Path

import pytest

_BESIDE_CHECKOUT = Path(__file__).resolve().parents[4] / "shared" / "data"


def path(relative: str) -> Path:
    """The file or folder below the shared data; skips the test, with the reason, where it is absent.

    `NEPHILA_SHARED_DATA` names the folder when it is not beside the checkout.
    """
    root = Path(os.environ.get("NEPHILA_SHARED_DATA", _BESIDE_CHECKOUT))
    found = root / relative
    if not found.exists():
        pytest.skip(f"conformance data {relative} is not on this machine")
    return found

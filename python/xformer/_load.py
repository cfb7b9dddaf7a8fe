"""Loads the extension module so that its OpenMP threads sleep between calls."""

from __future__ import annotations

import importlib
import os


def load() -> None:
    """OpenMP reads how its threads wait once, when it is loaded. A library that is loaded later with its own OpenMP,
    such as torch, finds the environment unchanged."""
    if "OMP_WAIT_POLICY" in os.environ:
        importlib.import_module("xformer._xformer")
        return
    os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        importlib.import_module("xformer._xformer")
    finally:
        del os.environ["OMP_WAIT_POLICY"]

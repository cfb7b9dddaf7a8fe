"""Training, and export of trained models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Optional, Union

from . import _xformer
from .options import Option, Path, word, words


def train(config: Optional[Union[Path, Mapping[str, Option]]] = None, **options: Option) -> None:
    """Trains like xformer-train. config: path of a TOML file, or a dictionary; options override it.

    train("config.toml", after="10e"), train(task="demo", train_sets=["a.en", "a.de"], model="run", quiet=True).
    Ctrl-C saves and raises KeyboardInterrupt; the same call resumes the run. Progress goes to the standard error of the
    process, sys.stderr's file, unless quiet=True.
    """
    given: list[str] = []
    if isinstance(config, Mapping):
        options = {**{name.replace("-", "_"): value for name, value in config.items()}, **options}
    elif config is not None:
        given = ["--config", word(config, "config")]
    _xformer.train(given + words(options))


def export(command: str, format: Optional[str] = None, **options: Option) -> None:
    """Runs xformer-export.

    export("to", "ctranslate2", model="run", output="folder", quantization="int8"), export("quantize", model=...,
    output=...), export("average", model="run", last=4, output=...). overwrite=True replaces an existing model.
    """
    given = [command] if format is None else [command, format]
    _xformer.export_model(given + words({"quiet": True, **options}))


def inspect(model: Path) -> dict[str, Any]:
    """A model's tensors, configuration, vocabularies and checksums, as xformer-export inspect --format json."""
    found: dict[str, Any] = json.loads(_xformer.inspect(word(model, "model")))
    return found

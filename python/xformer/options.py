"""Converts keyword arguments to a program's command line, which checks them against its option table."""

from __future__ import annotations

import numbers
import os
from collections.abc import Iterable, Mapping
from typing import Union

Path = Union[str, "os.PathLike[str]"]
Value = Union[None, bool, int, float, str, "os.PathLike[str]"]
Option = Union[Value, Iterable[Value]]


def words(options: Mapping[str, Option]) -> list[str]:
    """beam_size=2, quiet=True, train_sets=["a.en", "a.de"] as --beam-size=2 --quiet=true --train-sets a.en a.de.

    None: the option is left out. TypeError, naming the option, for a value that is not a word, a number or a list of them.
    """
    result: list[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None:
            continue
        if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping, os.PathLike)):
            result += [flag, *(word(one, name) for one in value)]
        else:
            result.append(f"{flag}={word(value, name)}")
    return result


def word(value: object, name: str) -> str:
    """Formats one value for a command line. A number may be NumPy's."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, (str, numbers.Real)):
        return str(value)
    raise TypeError(f"{name}: expected words or numbers, got {type(value).__name__}")


def lines(values: Iterable[str], what: str) -> list[str]:
    """Returns a list of lines. TypeError for a string, which would be read as a list of characters."""
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{what}: expected a list of lines, got one {type(values).__name__}")
    result = list(values)
    for i, line in enumerate(result):
        if not isinstance(line, str):
            raise TypeError(f"{what}[{i}]: expected str, got {type(line).__name__}")
        line.encode()  # UnicodeEncodeError for half a surrogate pair
    return result

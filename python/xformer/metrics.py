"""BLEU, chrF and TER, with sacreBLEU's digits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Union

from . import _xformer
from .options import Option, lines, words

References = Union[Iterable[str], Iterable[Iterable[str]]]


@dataclass(frozen=True)
class Score:
    """A score of translations."""

    name: str  # BLEU, chrF2, TER
    score: float  # 0 to 100; TER's may be more
    signature: str  # what was computed: nrefs:1|case:mixed|...
    text: str  # as xformer-score prints it

    def __float__(self) -> float:
        return self.score

    def __str__(self) -> str:
        return self.text


def bleu(hypotheses: Iterable[str], references: References, *, lowercase: bool = False, tokenize: str = "13a",
         **options: Option) -> Score:
    """BLEU of a corpus. references: one line per hypothesis, or several such lists.

    Other options are those of xformer-score: smooth_method="floor", smooth_value=0.1, confidence=True, width=2, ...
    """
    return _score("bleu", hypotheses, references, {"lowercase": lowercase, "tokenize": tokenize, **options})


def chrf(hypotheses: Iterable[str], references: References, **options: Option) -> Score:
    """chrF2 of a corpus; chrf_word_order=2: chrF++. References and options as for bleu()."""
    return _score("chrf", hypotheses, references, options)


def ter(hypotheses: Iterable[str], references: References, **options: Option) -> Score:
    """The translation edit rate of a corpus; 0 is the best. References and options as for bleu()."""
    return _score("ter", hypotheses, references, options)


def _score(metric: str, hypotheses: Iterable[str], references: References, options: dict[str, Option]) -> Score:
    several = references if isinstance(references, str) else list(references)
    texts = [several] if not several or isinstance(several[0], str) else several
    return Score(*_xformer.score(metric, lines(hypotheses, "hypotheses"),
                                 [lines(text, "references") for text in texts],  # type: ignore[arg-type]
                                 words(options)))
